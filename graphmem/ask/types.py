"""Question types: a table of patterns, English and Korean, and the operation that answers each. The first row that matches a
question decides; a question of no row is answered by search alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class QuestionType(NamedTuple):
    """A row: its name, which is that of an operation in `operations`, and the patterns of such questions."""

    name: str
    pattern: re.Pattern[str]


class Question(NamedTuple):
    """A question with its type and the names, numbers and quotations that it is about, most certain first."""

    text: str
    type: str
    subjects: tuple[str, ...]
    exact: tuple[str, ...]  # those that are written as code: they must exist somewhere


def _row(name: str, *patterns: str) -> QuestionType:
    return QuestionType(name, re.compile("|".join(patterns), re.I))


_SURFACE = r"(public|exported) (api|surface|interface|names?|symbols?)"
_VARIABLES = r"env(ironment)?[ -]*var(iable)?s?\b"
_SETTINGS = r"(?:settings?|config(?:uration)? (?:keys?|values?|options?|entries|settings?|variables?)|feature flags?)\b"
_READ = r"(?:read|reads|used?|uses|looked up|consult(?:ed|s)?|recogni[sz]e[ds]?|support(?:ed|s)?|honou?r(?:ed|s)?|accept(?:ed|s)?)"
_VERSION = r"\bv?\d+\.\d+(?:\.\d+)*(?!\.?[0-9A-Za-z_])"  # Korean particles may follow
_RELEASED = (
    r"(chang|touch|modif|add|introduc|remov|drop|delet|fix|deprecat|renam|replac|mov|arriv|appear|came|bring|brought|land|ship"
    r"|start|gain|mention|br[eo]ak|broke|first|new|affect)\w*"
)
_ONE_MORE = r"(?:new|another|additional|extra|further|one more)"
_MEMBER = r"(?:column|field|property|attribute|member)"
_CONFIG_FILE = r"[\w./@-]*\w\.(?:jsonc?|json5|toml|ya?ml|ini|cfg|conf|properties)\b"
# One's own of something: what is to be written follows the match.
OWN = re.compile(
    r"\b(?:writ|creat|implement|build|mak|defin|develop|provid|plug|us|add|supply|register|subclass|extend)\w*"
    r"(?: (?:in|up|out|with))? (?:an? |the |some )?(?:(?:my|our|your|their|one's|its) (?:very )?own|own|custom(?:ized|ised)?|user-defined|self-made)"
    r"(?: (?:kind|sort|type|implementation|version)s? of)?\b(?= +[A-Za-z])"
    r"|\b(?:do|can|could|should|would|to) (?:(?:i|we|you|one) )?(?:implement|develop|subclass)\b(?: an?| another| my| our)?(?= +[A-Za-z])",
    re.I,
)
OWN_KOREAN = re.compile(r"(?:나만의|자체|직접|커스텀|사용자 ?정의|우리만의).*(?:만들|작성|구현|짜)")
_CHANGED = r"(chang|touch|modif|edit|updat)(ed|es|ied|ies)?"

QUESTION_TYPES: tuple[QuestionType, ...] = (
    _row("api changes", r"\bbreaking changes?\b", r"\bwhat (breaks?|broke) (between|since|from|in)\b",
         rf"\b{_SURFACE}\b.*\b(chang|differ|between|since|remov|new in)", rf"\b(chang\w*|differ\w*|remov\w*|new) (in|of|to|from) (the )?({_SURFACE}|api)\b",
         r"\bapi (has |have )?(chang|differ)",
         r"(API|공개 *인터페이스)(는|은|가|이|의|에서)? .{0,30}(바뀌|바뀐|변경|달라|차이)|호환(성|이|을|되지).*(깨|않)"),
    _row("release date", rf"\bwhen (?:was|is|were|did|has|will)\b(?=.*(?:{_VERSION}|\b(?:version|release) v?\d))(?:(?!\b(?:in|since)\b).)*\b(?:released|published|shipped|tagged|come out)\b",
         r"\bwhen\b.{0,24}\b(?:last|latest|newest|current|most recent) (?:version|release)\b", r"\brelease date\b", r"(?:버전|릴리[스즈]).{0,20}언제|언제.{0,20}(?:릴리[스즈]|출시|배포)(?:됐|되었|했)"),
    _row("releases", rf"\b(which|what) (releases?|versions?)\b(?! of\b).*\b{_RELEASED}",
         r"(어느|어떤|무슨|몇) *(버전|릴리[스즈])(에서|에|부터|이|가).*(바뀌|바뀐|변경|추가|제거|삭제|도입|들어|생겼|고쳐|수정|나왔)"),
    _row("new member", rf"\b{_ONE_MORE} {_MEMBER}s?\b.*\b(need|requir|touch|chang|involv|affect|mean)", rf"\bto (add|introduce) (a |an )?{_ONE_MORE}? ?{_MEMBER}\b.* (to|of|in|on|for)\b",
         rf"\badd(ing)? (a|an|one|another|new|more) (new )?{_MEMBER}\b.* (need|requir|touch|chang|involv|mean)", r"새(로운)? *(필드|열|컬럼|칼럼|속성).*(필요|바꿔|고쳐|추가하려면)"),
    _row("extension", rf"^(?=\W*(?:how|what|where|can|is it possible|what do)\b).*(?:{OWN.pattern})", rf"(?:{OWN_KOREAN.pattern})(?:려면|나요|는 *(?:법|방법)|까요|지요?\b)"),
    _row("additions", r"\b(what|which|where|how)\b.* to (add|support|introduce) (a|an|one|another|new|more|yet)\b",
         r"^\W*how (do|can|should|would) (i|we|you) (add|support|introduce) (a|an|one|another|new|more|yet)\b",
         r"(추가|지원)하려면"),
    _row("cochange", r"\bchanges? (together )?with\b|\bchang(e|es|ed) together\b|\bco-?chang", r"(함께|같이) *(바뀌|변경|수정)"),
    _row("commits", r"^\W*(which|what|list|show|find) ((all|the|me|past|recent) )*(commits|bugs?|fix(es)?|faults?|regressions?)\b",
         r"\bcommits (that|which|about|mentioning|fixing)\b", r"(어떤|무슨|모든) *(커밋|버그)(?!(이|에서|으로)? .{0,40}(추가|도입|만들|넣었|없앴|제거|삭제|지웠|바꿨|변경))|커밋들|(?<!어떤 )(?<!무슨 )커밋을"),
    _row("environment", rf"\b(which|what|list|show|name|all|any)\b.{{0,30}}\b{_VARIABLES}",
         rf"\b{_VARIABLES}.{{0,30}}\b(read|used?|uses|supported|recogni[sz]ed|honou?red|are there|exist|known|set)\b",
         rf"\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b.*\b{_VARIABLES}|\b{_VARIABLES} [A-Z][A-Z0-9]*_", r"환경 *변수"),
    _row("settings", rf"^(?!.*{_CONFIG_FILE}).*\b(?:which|what|list|show|name|all|any|where)\b.{{0,30}}\b{_SETTINGS}.{{0,40}}\b{_READ}\b",
         rf"^(?!.*{_CONFIG_FILE}).*\b(?:which|what|list|show|all|where)\b.{{0,30}}\bsettings\b(?: (?:are|is) (?:there|known|supported)|\W*$)",
         r"(?:어떤|무슨|모든) *(?:설정|구성)(?:값|키| *항목)?(?:을|를|이|가|은|는)? .{0,20}(?:읽|사용|쓰)"),
    _row("unused", r"\bdead code\b|\bunused\b|\b(never|not|n't) (called|used) (anywhere|by anything)\b|\bnothing (uses|calls)\b",
         r"(쓰이지|사용되지|호출되지) *않|죽은 코드|미사용"),
    _row("path", r"\bhow (does|do|can) .+ (reach|get to|lead to|end up in)\b", r"\b(path|way|route|trace|chain) from .+ to\b",
         r"에서 .+(까지|에 *도달|로 *이어)"),
    _row("implementations", r"\b(what|who|which \w+) (\w+ )?(implements?|extends?|inherits?|subclass\w*)\b",
         r"\b(implement(ation|er)s?|subclass(es)?) of\b", r"구현체|(구현|상속)(하는|한) *(클래스|타입|것|곳|코드)"),
    _row("callees", r"\bwhat (does|do) .+ (call|invoke|use|depend on)\b", r"\bcallees? of\b", r"(무엇을|뭘|뭐를) *(호출|사용|쓰)"),
    _row("routes", r"\b(?:what|which|who|where)\b.{0,30}\b(?:handle|handler|serve|answer|end|endpoint)s?\b.*(?<![\w.])/[\w{:<*-]", r"\bwhere does .*\broute\b.* (?:end|go)\b",
         r"\b(?:which|what|list|show|all)\b.{0,20}\b(?:http )?(?:routes|endpoints)\b", r"(?:라우트|엔드포인트)"),
    _row("cycles", r"\b(?:cycles?|cyclic|circular)\b", r"순환"),
    _row("overrides", r"\b(?:what|who|which \w+|where)\b.{0,30}\boverrid(?:es?|den)\b", r"\boverrides? of\b", r"(?:오버라이드|재정의)"),
    _row("constructions", r"\b(?:what|who|which \w+|where)\b.{0,20}\b(?:constructs?|instantiates?|constructed|instantiated)\b",
         r"\b(?:what|who|which \w+) (?:creates?|makes?|builds?) (?:an? )?(?:new )?(?:objects?|instances?) of\b", r"\binstances? of .* (?:created|made|built)\b",
         r"(?:생성|인스턴스)(?:하는|화하는) *(?:곳|코드|함수)"),
    _row("reads", r"\b(?:what|who|which (?:function|method|code|class|place|line)s?|where)\b.{0,20}\b(?:reads?)\b", r"\breaders? of\b", r"읽는 *(?:곳|코드|함수)"),
    _row("writes", r"\b(?:what|who|which (?:function|method|code|class|place|line)s?|where)\b (?:\w+ )?(?:writes?(?: to)?|sets|assigns|modifies|mutates)\b",
         r"\bwhere (?:is|are|does|do)\b.* (?:written|assigned|set|modified|mutated)\b(?! up\b)", r"\bwriters? of\b", r"(?:쓰는|대입하는|설정하는) *(?:곳|코드|함수)"),
    _row("importers", r"\b(which|what|who)( \w+){0,3} imports?\b", r"\bimporters? of\b", r"(임포트|import) *(하는|한)"),
    _row("tests", r"\b(which|what) tests?\b", r"\btests? (that )?(cover|reach|exercise|run)", r"\bcovered by\b",
         r"^\W*(unit |the )?tests? (for|of)\b", r"\b(is|are) there (a |an |any )?(\w+ )?tests?\b", r"^\W*where (is|are) .* tested\b",
         r"어떤 테스트|무슨 테스트|테스트(는|가|를)? *(뭐|무엇|어느|어디|있)|(커버|검증)하는 테스트"),
    _row("impact", r"\b(?:what|who|which \w+) (?:would |will |might |could |must )?(?:break|fail|crash|stop|go|need)s?\b.*\b(?:if|when|without|once)\b",
         r"\bif\b.{1,80}\b(?:is|are|was|were|got|gets?|has been) (?:removed|deleted|dropped|renamed|gone|changed)\b", r"\bwhat (would |will |might |could )?breaks?\b", r"\b(affected|impacted) (by|if|when)\b", r"\bimpact of\b",
         r"\b(what|who|which \w+)( else)? (depends?|rel(y|ies)) on\b", r"\bif (i|we) (change|remove|rename|delete)\b",
         r"(바꾸|변경하|수정하|고치|지우|삭제하)면", r"영향"),
    _row("callers", r"\b(what|who|where) (\w+ )?(calls?|uses?|invokes?)\b", r"\bcallers? of\b", r"^(?!\W*why\b).*\b(is|are) .{1,60} (called|used)\b",
         r"호출하는|호출되|누가 *(호출|사용)|어디(서|에서) *(호출|사용|쓰)|사용하는 (곳|코드|함수)"),
    _row("owners", r"\bwho (?:has )?(?:wrote|written|authored|made|contributed) (?:the )?(?:most|bulk|majority|biggest part|largest part) (?:of|to)\b", r"\b(?:main|principal|primary|leading|biggest) (?:author|contributor|maintainer)s? (?:of|to|in|for)\b",
         r"\bwho (knows?|owns?|maintains?|understands?|is responsible|should review)\b", r"\bwhom? (can|should|do) (i|we) ask\b",
         r"누가 .{0,12}(?:주로|가장|제일|대부분)|(?:주로|가장|제일|대부분(?:을)?) .{0,8}누가|(?:주|메인|주요) *(?:작성자|저자|기여자)",
         r"누가 *(잘 *)?(알|담당|관리|유지)|누가 .{0,20}(담당|관리|유지)하|담당자|누구(에게|한테)"),
    _row("removed", r"\b(when|who|which commit|why(?! (is|are|do|does)\b))\b.*\b((remov|delet|dropp?)(e|ed|ing)?|(taken?|took|ripped|thrown|threw) (out|away)|rid of)\b", r"\bwhen did .* (go away|disappear)\b",
         r"(언제|누가|왜|(?:어떤|어느|무슨) *커밋).*(제거|삭제|없앴|없어|지웠|뺐|빠졌)"),
    _row("introduced", r"\b(who|when|which commit)\b.*\b(wrote|writes?|written|introduc\w*|add(ed)?|creat\w+|implement(ed)?|author(ed)?|began|start(ed)?)\b",
         r"\bwho\b.*\b(c[ao]me up with|contribut\w*|invent\w*|devis\w*|propos\w*|designed|built|made|brought)\b",
         r"\bauthor of\b", r"\bsince when\b", r"(누가|언제|언제부터|(?:어떤|어느|무슨) *커밋).*(작성|만들|추가|도입|구현|썼|생겼|넣)", r"작성자|만든 사람"),
    _row("last change", rf"\bwho\b.{{0,40}}\b{_CHANGED}\b", rf"\bwhen (was|were|did|has|have)\b.*\b{_CHANGED}\b", rf"\blast {_CHANGED}\b|\b(last|latest|most recent) (change|commit|edit)\b",
         r"(누가|언제|마지막|(?:어떤|어느|무슨) *커밋).*(바꿨|바뀌었|바꾼|변경|수정|고쳤|고친)|마지막(?! *\d).*바뀐|(바꾼|고친|수정한|변경한) *(사람|이|커밋)(은|이|는|을)?"),
    _row("unreleased", r"\bunreleased\b", r"\b(not|n't|yet to be) (yet )?(been |be )?(released|published|shipped)\b",
         r"\b(next|upcoming|coming) release\b", r"(릴리[스즈]|배포|출시)(되지|하지)? *(않|안)|아직 .*(릴리[스즈]|배포|출시)|다음 *(릴리[스즈]|버전)"),
    _row("revisions", r"\bwhat (has )?changed\b", rf"\bwhat('s| is| was| did| does) .*{_VERSION}|\brelease notes\b", rf"{_VERSION} *(버전|릴리[스즈])?(에|의|은|는|에서|에는)\b",
         r"\b(recent|latest|newest|last) changes\b",
         r"\bchanges? (between|since|from|in)\b", r"^\W*changes? (to|of)\b", r"\bhistory of\b", r"바뀐 *(?:것|점|내용)|무엇이 (바뀌|변경)|뭐가 *(바뀌|변경|달라)|변경 *(사항|내역)"),
    _row("configuration", rf"^\W*(?:what|which|explain|describe|list|show|where|how)\b.*{_CONFIG_FILE}", rf"\b(?:setting|key|entry|entries|option|section|value)s?\b.*{_CONFIG_FILE}",
         rf"{_CONFIG_FILE}.{{0,60}}(설정|키|항목|옵션|무엇|뭐)"),
    _row("default", r"^(?!\W*(?:who|why|when)\b).*\bdefaults?(?: values?)? (?:of|for)\b", r"\bwhat (?:is|are|was)\b.{0,60}\bdefault\b", r"^(?!\W*(?:who|why|when)\b).*\bdefaults? to\b", r"^(?!.*(?:누가|누구|왜|언제)).*기본 ?값"),
    _row("facts", r"\bas of \d{4}-\d\d-\d\d", r"\bon \d{4}-\d\d-\d\d\b", r"\d{4}-\d\d-\d\d *(에|기준|당시)"),
    _row("notes", r"(?-i:(?<![\w/.])(?:TODO|FIXME|XXX)s?\b)(?! (?:is|was)\b)", r"\b(?:todo|fixme) (?:comments?|notes?|marks?)\b",
         r"\b(?:which|what|list|show|how many|any|all)\b.{0,20}(?<!/)\btodos\b", r"(?:할 *일|TODO) *주석"),
    _row("task", r"\b(status|state|progress) of\b.*\btask", r"\btasks?\b.*\b(status|state|done|open|blocked|ready)\b",
         r"\bwhat (should|can) (i|we) (do|work on) next\b", r"\b(what|which tasks?)( is| are|'s)( still| now| currently| left)? (blocked|open|ready|undone|unfinished)\b",
         r"\b(?:which|what) (?:open )?(?:issues?|tickets?|tasks?)\b.{0,20}\b(?:tracks?|covers?|concerns?|mentions?|describes?|reports?|asks? for|deals? with|about|for)\b",
         r"\bis there (?:an? )?(?:open )?(?:issue|ticket|task)\b", r"(?:다루는|관한|대한|추적하는|관련) *(?:이슈|티켓|작업|과제|태스크)", r"(?:이슈|티켓).{0,12}(?:어느|어떤|무엇|뭐|있)", r"(?:어느|어떤|무슨) *(?:이슈|티켓)",
         r"(작업|과제|할 *일|태스크).*(상태|진행|끝났|막혀|남)", r"(뭐가|무엇이) *(막혀|막혔|막힌|남아|남았|열려)", r"다음에? *(뭐|무엇|할)"),
    _row("decided", r"\bwhy\b", r"^(?!\W*(how|where|which)\b).*(\bdecid\w+|\bdecisions?\b)", r"\bwhat (is|was) the reason\b", r"\brationale\b",
         r"왜|이유|결정|까닭"),
    _row("where", r"\bwhere\b", r"\bwhat (is|are|does)\b", r"\bwhich (file|function|class|module|method)\b", r"\b(defined|implemented)\b",
         r"어디|무엇(인|이)|뭐(야|예요|지)|뭔가|정의"),
)  # fmt: skip

_QUOTED = re.compile(r"`([^`]+)`|\"([^\"]+)\"|“([^”]+)”|'([^'\s]+)'")
_CODE = re.compile(
    r"(?<![\w./-])(?:[\w.-]+/)+(?:[\w.-]*\w)?|[A-Za-z_]\w*(?:(?:\.#?|::|#)[A-Za-z_]\w*)+|[A-Za-z]\w*_\w*|_\w+"
    r"|(?<![\w&;])#[A-Za-z_]\w+"  # a private member of JavaScript
    r"|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|[a-z]+[A-Z]\w*|[A-Z][A-Z0-9]{2,}\b|[A-Za-z_]\w*(?=\(\))",
    re.ASCII,
)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{2,}")
_REVISION = re.compile(rf"{_VERSION}|\bHEAD(?:[~^]\d*)*|\b[0-9a-f]{{7,40}}\b|\b\d{{4}}-\d\d-\d\d\b")
_TAG_OR_REVISION = re.compile(
    rf"(?:[A-Za-z@][\w.@/-]*[-/@_])?{_VERSION}(?:[-.]?(?:alpha|beta|rc|pre|post|dev|a|b|m)[.-]?\d+(?![\w.]\w))?|{_REVISION.pattern}"
)
_SPAN = re.compile(r"\b(since|after|between|from|before|until|to)\b|이후|부터|이전|까지", re.I)
PLAIN_WORDS = frozenset(
    "a about add best better most well added after all and any anymore anything anywhere are argument arguments as at author be been before began brought built came come contributed designed devised invented made proposed"
    " between break breaks by call called calling calls can change changed changes class code commit commits could cover"
    " covered covers create created dead decide decided decision defined delete deleted depend dependency depends did"
    " directly disappear do does drop dropped edited env environment extends file files first for from function get go"
    " happens has have how if impact implementation implementations implemented implements in inherits introduce introduced"
    " is it its know knows last latest maintain maintains method modified module most my never not nothing of on or our out owns"
    " parameter project reach reason recently remove removed rename repository responsible review run setting should since start"
    " started state status support symbol task test tests that the their there this to together touched transitively"
    " understand unused use used uses using variables was we well were what when where which who whom whose why will with work"
    " would write writes written wrote you"
    " aren couldn didn doesn don hadn hasn haven isn make makes rest shouldn wasn weren won wouldn"  # of "doesn't"
    .split()
)  # fmt: skip


_RUN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?: [A-Za-z][A-Za-z0-9]*)+")  # words with nothing but a blank in between
_FUNCTION_WORDS = frozenset(
    "a an and are at by can did do does for from has have how if in is it its not of on or that the this to was were what when where which who why with".split()
)
_MAX_COMPOUND = 4  # words of a name that a question writes apart


def compound_names(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield runs of two to four adjacent words that may be one name, longest first, with the spellings that code would use. Runs
    with a function word, or with plain words only, are left out.

    >>> dict(compound_names("who added the version option?"))["version option"]
    ('version_option', 'versionOption', 'VersionOption')
    """
    runs = [found[0].split() for found in _RUN.finditer(_QUOTED.sub(" ; ", text))]
    for size in range(_MAX_COMPOUND, 1, -1):
        for words in runs:
            for first in range(len(words) - size + 1):
                run = words[first : first + size]
                lower = [word.lower() for word in run]
                if not _FUNCTION_WORDS.isdisjoint(lower) or PLAIN_WORDS.issuperset(lower):
                    continue
                titled = "".join(word.capitalize() for word in lower)
                yield " ".join(run), ("_".join(lower), titled[0].lower() + titled[1:], titled)


_NAME = r"[A-Za-z_]\w*"
_MEMBER_AFTER = re.compile(rf"\b(?=({_NAME})(?:['’]s)? ({_NAME})\b)")
_MEMBER_BEFORE = re.compile(
    rf"\b(?=({_NAME})(?: (?:method|function|field|property|argument|parameter|option))? (?:of|in|on) (?:the |a |an )?({_NAME})\b)"
)
_MEMBER_GONE = re.compile(  # "if the field tax were removed from models.Cart"
    rf"\b(?:method|function|field|property|attribute|column|member) [`'\"]?({_NAME})[`'\"]? (?:\w+ ){{0,2}}"
    rf"(?:removed|deleted|dropped|taken|gone|missing|renamed)(?: out)? (?:from|of|in) (?:the |a |an )?(?:(?:struct|class|type|model|interface) )?"
    rf"[`'\"]?(?:\w+\.){{0,4}}({_NAME})\b"
)


def member_names(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of words of which one may be a type and the other its member: (type, member).

    >>> ("Ticker", "reset") in member_names("the reset method of Ticker")
    True
    >>> next(member_names("if the field tax were removed from models.Cart, what fails?"))
    ('Cart', 'tax')
    """
    yield from ((owner, member) for member, owner in _MEMBER_GONE.findall(text))
    yield from ((owner, member) for owner, member in _MEMBER_AFTER.findall(text))
    yield from ((owner, member) for member, owner in _MEMBER_BEFORE.findall(text))


_OF_A_NAME = frozenset({"owners", "callers", "callees", "tests", "impact", "where", "last change", "implementations"})


def parse_question(text: str) -> Question:
    """Return a question with its type ("search" where no row matches) and its subjects."""
    bare = _QUOTED.sub(" x ", text)
    type_ = next((row.name for row in QUESTION_TYPES if row.pattern.search(bare)), "search")
    quoted = [next(filter(None, found.groups())).removesuffix("()") for found in _QUOTED.finditer(text)]
    code = [found[0] for found in _CODE.finditer(_QUOTED.sub(" ", text)) if found[0] != "HEAD"]
    revisions = _REVISION.findall(text)
    words = [word for word in _WORD.findall(_QUOTED.sub(" ", text)) if word.lower() not in PLAIN_WORDS]
    exact = tuple(dict.fromkeys([*quoted, *code]))
    if type_ in _OF_A_NAME and not (exact or words):  # "who knows remove?" is about a function with the name of a verb
        words = _WORD.findall(text)[-1:]
    return Question(text, type_, tuple(dict.fromkeys([*quoted, *code, *revisions, *words])), exact)


_NO_THINGS = PLAIN_WORDS | _FUNCTION_WORDS | set("instead rather both them these those one such other".split())
_THING = r"(?:an? |the )?[\"'`“]?([A-Za-z][\w.+#-]*[A-Za-z0-9+#])"
_CHOOSES = r"(?:chose|chosen|choose|pick(?:ed)?|prefer(?:red)?)"
_REJECTED = re.compile(
    rf"\b(?:instead of|rather than|in place of|as opposed to|versus|vs\.?|{_CHOOSES} \S+ over) {_THING}", re.I
)
_CHOSEN = re.compile(rf"\b(?:{_CHOOSES}|adopt(?:ed)?|switch(?:ed)? (?:from|to)|us(?:e|es|ed|ing)) {_THING}", re.I)
_REJECTED_KOREAN = re.compile(r"([A-Za-z][\w.+#-]*)\s*(?:대신|말고)")
_CHOSEN_KOREAN = re.compile(r"([A-Za-z][\w.+#-]*)(?:을|를|로|으로)(?!\w)")


def compared_names(text: str) -> tuple[str, ...]:
    """Return the things that a question says were chosen or rejected, where it compares two: it presumes that they are known here.

    >>> compared_names("why did they choose waitress instead of rocket?")
    ('waitress', 'rocket')
    """
    rejected = [*_REJECTED.findall(text), *_REJECTED_KOREAN.findall(text)]
    chosen = [*_CHOSEN.findall(text), *_CHOSEN_KOREAN.findall(text)]
    named = [*chosen, *rejected] if rejected else []
    return tuple(dict.fromkeys(name for name in named if name.lower() not in _NO_THINGS))


def is_version(text: str) -> bool:
    """Return whether a text is the number of a version."""
    return re.fullmatch(_VERSION, text) is not None


def release_of(question: Question) -> str:
    """Return the version whose changes a question asks for, without "v"; "" if it names none, several, or one as a limit.

    >>> release_of(parse_question("what is new in v5.1.0?")), release_of(parse_question("what changed since 5.1.0?"))
    ('5.1.0', '')
    """
    versions = {version.removeprefix("v") for version in re.findall(_VERSION, question.text)}
    return versions.pop() if len(versions) == 1 and not _SPAN.search(question.text) else ""


def revisions_of(question: Question) -> list[str]:
    """Return what a question names as revisions: versions with what their tags have around them, hashes, HEAD, dates.

    >>> revisions_of(parse_question("what changed between axum-v0.8.0-rc.1 and axum-v0.8.2?"))
    ['axum-v0.8.0-rc.1', 'axum-v0.8.2']
    """
    return _TAG_OR_REVISION.findall(question.text)
