// Prints what the names of a Go module stand for, as go/types resolves them; see rows_to_scip.py. Argument: the folder of the module.
// A package from outside that cannot be read is empty: what depends on it stays unresolved.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

type oracle struct {
	root, module string
	fset         *token.FileSet
	made         map[string]*types.Package
	standard     types.Importer
	out          *bufio.Writer
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	o := &oracle{root: root, fset: token.NewFileSet(), made: map[string]*types.Package{}, out: bufio.NewWriter(os.Stdout)}
	defer o.out.Flush()
	text, _ := os.ReadFile(filepath.Join(root, "go.mod"))
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "module ") {
			o.module = strings.Trim(strings.TrimSpace(line[7:]), `"`)
		}
	}
	o.standard = importer.ForCompiler(o.fset, "source", nil)
	filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		name := ""
		if info != nil {
			name = info.Name()
		}
		if err != nil || !info.IsDir() {
			return nil
		}
		_, nested := os.Stat(filepath.Join(path, "go.mod"))
		if path != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" || nested == nil) {
			return filepath.SkipDir
		}
		o.Import(o.pathOf(path))
		o.check(path, o.pathOf(path)+"_test", true)
		return nil
	})
}

func (o *oracle) pathOf(folder string) string {
	inner, _ := filepath.Rel(o.root, folder)
	if inner == "." {
		return o.module
	}
	return o.module + "/" + filepath.ToSlash(inner)
}

// Import makes a package of the module from its source, with its own tests.
func (o *oracle) Import(path string) (*types.Package, error) {
	if found := o.made[path]; found != nil {
		return found, nil
	}
	if path == o.module || strings.HasPrefix(path, o.module+"/") {
		folder := filepath.Join(o.root, filepath.FromSlash(strings.TrimPrefix(path, o.module)))
		return o.check(folder, path, false), nil
	}
	if !strings.Contains(strings.Split(path, "/")[0], ".") {
		if found, err := o.standard.Import(path); err == nil {
			return found, nil
		}
	}
	empty := types.NewPackage(path, filepath.Base(path))
	empty.MarkComplete()
	o.made[path] = empty
	return empty, nil
}

func (o *oracle) check(folder, path string, external bool) *types.Package {
	entries, _ := os.ReadDir(folder)
	var files []*ast.File
	name := ""
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") {
			continue
		}
		if match, err := build.Default.MatchFile(folder, entry.Name()); err != nil || !match {
			continue
		}
		file, _ := parser.ParseFile(o.fset, filepath.Join(folder, entry.Name()), nil, 0)
		if file == nil || strings.HasSuffix(file.Name.Name, "_test") != external {
			continue
		}
		name = file.Name.Name
		files = append(files, file)
	}
	o.made[path] = types.NewPackage(path, name) // an import cycle through tests ends here
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: o, Error: func(error) {}, FakeImportC: true}
	found, _ := config.Check(path, o.fset, files, info)
	if found != nil {
		o.made[path] = found
	}
	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			if ident, ok := node.(*ast.Ident); ok {
				o.say("D", ident, info.Defs[ident])
				o.say("R", ident, info.Uses[ident])
			}
			return true
		})
	}
	return o.made[path]
}

func (o *oracle) say(role string, ident *ast.Ident, object types.Object) {
	if object == nil || ident.Name == "_" {
		return
	}
	kind := ""
	switch each := object.(type) {
	case *types.Func:
		object, kind = each.Origin(), "method"
	default: // a type that is "called" is converted to
		return
	}
	at, defined := o.fset.Position(ident.Pos()), o.fset.Position(object.Pos())
	inner, _ := filepath.Rel(o.root, at.Filename)
	where := "outside"
	if strings.HasPrefix(defined.Filename, o.root+string(filepath.Separator)) {
		where = "tree"
	}
	owner := fmt.Sprintf("%s:%d:%d", defined.Filename, defined.Line, defined.Column)
	fmt.Fprintln(o.out, strings.Join([]string{role, filepath.ToSlash(inner), fmt.Sprint(at.Line), fmt.Sprint(at.Column - 1), where, kind, owner, ident.Name, ""}, "\t"))
}
