import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * Prints what the names of a Java tree stand for, as javac resolves them; see rows_to_scip.py. Arguments: the tree, the folders with
 * its sources (joined by the path separator; default: all), a classpath. Types that are missing leave their calls unresolved.
 */
public final class JavaOracle {
    private final Path root;
    private final Trees trees;
    private final PrintStream out;

    private JavaOracle(Path root, Trees trees, PrintStream out) {
        this.root = root;
        this.trees = trees;
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]).toRealPath();
        List<Path> folders = new ArrayList<>();
        if (arguments.length > 1 && !arguments[1].isEmpty()) {
            for (String each : arguments[1].split(File.pathSeparator)) folders.add(root.resolve(each));
        } else folders.add(root);
        List<Path> sources = new ArrayList<>();
        for (Path folder : folders) {
            try (Stream<Path> all = Files.walk(folder)) {
                all.filter(p -> p.toString().endsWith(".java") && !p.endsWith("module-info.java")).sorted().forEach(sources::add);
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        List<String> options = new ArrayList<>(List.of("-proc:none", "-Xmaxerrs", "1000000"));
        if (arguments.length > 2) options.addAll(List.of("-classpath", arguments[2]));
        int[] errors = {0};
        JavacTask task = (JavacTask) compiler.getTask(new StringWriter(), files,
            told -> { if (told.getKind() == Diagnostic.Kind.ERROR) errors[0]++; }, options, null,
            files.getJavaFileObjectsFromPaths(sources));
        Iterable<? extends CompilationUnitTree> units = task.parse();
        task.analyze();
        try (PrintStream out = new PrintStream(new BufferedOutputStream(System.out), false, "UTF-8")) {
            JavaOracle oracle = new JavaOracle(root, Trees.instance(task), out);
            for (CompilationUnitTree unit : units) oracle.read(unit);
        }
        System.err.println(sources.size() + " files, " + errors[0] + " errors");
    }

    private void read(CompilationUnitTree unit) throws IOException {
        String path = root.relativize(Path.of(unit.getSourceFile().toUri()).toRealPath()).toString();
        String text = unit.getSourceFile().getCharContent(true).toString();
        SourcePositions places = trees.getSourcePositions();
        new TreePathScanner<Void, Void>() {
            @Override public Void visitClass(ClassTree tree, Void none) {
                say("D", tree, tree.getModifiers(), tree.getSimpleName().toString(), trees.getElement(getCurrentPath()));
                return super.visitClass(tree, none);
            }

            @Override public Void visitMethod(MethodTree tree, Void none) {
                Element element = trees.getElement(getCurrentPath());
                Tree before = tree.getReturnType() != null ? tree.getReturnType() : tree.getModifiers();
                if (element != null && places.getStartPosition(unit, tree) >= 0) {
                    boolean made = element.getKind() == ElementKind.CONSTRUCTOR;
                    say("D", tree, before, made ? element.getEnclosingElement().getSimpleName().toString() : tree.getName().toString(), element);
                }
                return super.visitMethod(tree, none);
            }

            @Override public Void visitMethodInvocation(MethodInvocationTree tree, Void none) {
                ExpressionTree named = tree.getMethodSelect();
                Element element = trees.getElement(new TreePath(getCurrentPath(), named));
                if (named instanceof IdentifierTree single) at(places.getStartPosition(unit, named), single.getName().toString(), element);
                if (named instanceof MemberSelectTree member) {
                    String name = member.getIdentifier().toString();
                    at(places.getEndPosition(unit, named) - name.length(), name, element);
                }
                return super.visitMethodInvocation(tree, none);
            }

            @Override public Void visitNewClass(NewClassTree tree, Void none) {
                Tree type = tree.getIdentifier();
                Tree plain = type instanceof ParameterizedTypeTree generic ? generic.getType() : type;
                // of an anonymous class, the constructor is its own: what is named is the class that it extends
                Element element = tree.getClassBody() == null ? trees.getElement(getCurrentPath())
                    : trees.getElement(type instanceof ParameterizedTypeTree
                        ? new TreePath(new TreePath(getCurrentPath(), type), plain) : new TreePath(getCurrentPath(), type));
                String name = plain instanceof MemberSelectTree member ? member.getIdentifier().toString() : plain.toString();
                at(places.getEndPosition(unit, plain) - name.length(), name, element);
                return super.visitNewClass(tree, none);
            }

            /** A definition's name stands after its modifiers and type. */
            private void say(String role, Tree tree, Tree before, String name, Element element) {
                if (element == null || name.isEmpty()) return;
                long from = Math.max(places.getStartPosition(unit, tree), places.getEndPosition(unit, before));
                var found = java.util.regex.Pattern.compile("(?<![\\w$])" + java.util.regex.Pattern.quote(name) + "(?![\\w$])").matcher(text);
                if (from >= 0 && found.find((int) from)) row(role, found.start(), name, element);
            }

            private void at(long place, String name, Element element) {
                if (place >= 0 && element != null) row("R", place, name, element);
            }

            private void row(String role, long place, String name, Element element) {
                boolean made = element.getKind() == ElementKind.CONSTRUCTOR;
                boolean type = element instanceof TypeElement;
                if (!made && !type && element.getKind() != ElementKind.METHOD) return;
                Element kept = made ? element.getEnclosingElement() : element;
                if (kept.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) return;
                String where = trees.getPath(kept) != null || trees.getPath(outermost(kept)) != null ? "tree" : "outside";
                String own = kept.getSimpleName().toString();
                if (!own.equals(name)) return;
                String owner = kept.getEnclosingElement() + (kept.getEnclosingElement() instanceof TypeElement ? "" : "/");
                if (kept.getEnclosingElement().toString().isEmpty() || kept.getEnclosingElement() instanceof ExecutableElement)
                    owner = "local " + kept.hashCode();
                int line = (int) unit.getLineMap().getLineNumber(place);
                long column = place - unit.getLineMap().getStartPosition(line);
                out.println(String.join("\t", role, path, "" + line, "" + column, where, made ? "constructor" : type ? "type" : "method",
                    owner, own, type ? "" : element.toString()));
            }

            private Element outermost(Element element) {
                Element found = element;
                while (found.getEnclosingElement() != null && found.getEnclosingElement().getKind() != ElementKind.PACKAGE)
                    found = found.getEnclosingElement();
                return found;
            }
        }.scan(unit, null);
    }
}
