"""Patterns that separate statements worth keeping from talk: cues of the kinds of facts, and of plans, hedges, chatter
and dangling references, in English and Korean. Data only; `statements` and `facts` apply them."""

from __future__ import annotations

import re

from graphmem.patterns import compile_later

_I = re.IGNORECASE

# kind -> pattern of its sentences; the first match decides
KIND_CUES: dict[str, re.Pattern[str]] = {
    kind: compile_later(pattern, _I)
    for kind, pattern in {
        "decision": r"^(?:the )?[A-Z][\w-]+(?: team)? (?:asked|told|wants|wanted|requires|requested) (?:us|me|the team) to"
        r" (?:raise|lower|increase|reduce|extend|shorten|set|keep|cap|limit|move|switch|use|drop|store|retain)\b"
        r"|\b(?:decided (?:to|on|against|that)|ended up (?:using|with|going with|choosing|picking|keeping)|we(?:'ll| will| are going to| now) (?:use|go with|keep|switch|stay)"
        r"|let's (?:use|go with|stick with)|we(?:'re| are) (?:going with|switching to|moving to|moving off|dropping"
        r"|adopting|keeping|retiring|sticking with)|decision:|(?:chose|opted|agreed|settled) (?:to|for|on|not)?"
        r"|(?<!\bwas )(?<!\bwere )(?<!automatically )switched (?:from|to)"
        r"|(?:us(?:e[sd]?|ing)|chosen?|pick(?:ed)?|take[ns]?|took|go(?:ne|es)? with|went with|switch\w*"
        r"|mov(?:e[sd]?|ing)|replac\w+|kee?pt?s?|stay\w*"
        r"|prefer\w*|select\w*|adopt\w*|drop(?:ped|ping)?|build|built|writ\w+|wrote|test\w*|ship\w*|stor\w+|run|ran"
        r"|call\w*|return\w*|rais\w+|pin\w*|deploy\w*|publish\w*|sav(?:e[sd]?|ing)|send\w*|generat\w+)\b[^.;]{0,80}?"
        r"(?:instead of|rather than|in favou?r of))\b|기로 (?:했|하였|결정|합의|정|변경|바꿨)|(?:으로|로) (?:하자|합시다|가자|정하자|정했|가기로)|결정했|결정하였|선택했|대신에? ",
        "preference": r"\b(?:I|we|the user|the team) (?:really |now |have come to |has come to |'ve come to )?(?:prefers?|likes?|hates?|dislikes?|wants? to keep)\b"
        r"|\b(?:I|we|the user|the team) (?:still |always |also |really )?wants? (?:the |our |all |every |each "
        r"|any )?(?!(?:you|to|an?|some|it|this|that|him|her|them|us)\b)"
        r"[\w`-]+(?: [\w`-]+){0,5} (?:on|in|not|off|without|only|as|to (?:be|keep|stay|use|have|run|return|live"
        r"|follow|match|include|contain|remain|always|never))\b"
        r"|\b(?:would|'d) (?:rather|prefer)\b|\b(?:my|our|'s) preference is\b|\bprefer (?:to )?\w+ing\b|^prefer\b"
        r"|선호(?:한다|합니다|해|함)|(?:을|를|이|가) 더 좋아",
        "rule": r"(?<!\()\b(?:(?<!is a )must(?:n't| not)?(?!'ve| have (?:\w+ly )?(?:been|had|felt|gone|taken|made|done|come|got|seen|\w+ed)\b(?! to)"
        r"| be (?:an? )?(?:amazing|nice|fun|hard|great|kidding|quite|so|such|wonderful|lovely|beautiful|exciting"
        r"|tough|awesome|terrible)|[!.])"
        r"|(?<!has )(?<!have )(?<!had )(?<!'ve )(?<!'s )(?<!\bis )(?<!\bare )(?<!\bcan )(?<!\bwas )(?:never"
        r"|always)(?! (?:been|had|wanted|gone|got|say never|give up|mind|fun"
        r"|special|down|there|makes?|happy|up|good|great|nice|glad|here|love|loved|ready|so|a|an|the|in|on|for"
        r"|\w+ing)\b)|(?:is|are) (?:required|mandatory|forbidden)"
        r"|(?:is|are) not allowed|should(?:n't| not)(?! have\b)|has to|(?<!n't )(?<!not )have to be|only ever)\b"
        r"|^only [\w `-]{2,40} (?:may|can|must|should|(?:is|are) allowed)\b|^(?:please )?(?:do not|don't|make sure"
        r"|ensure|avoid)\b"
        r"|(?:항상|언제나) \S.*(?:한다|합니다|쓴다|돌린다|둔다|사용한다|[가-힣]세요)[.]?$|반드시|절대|하지 ?마|해야 (?:한다|합니다|해요|해)|(?:하면|해서는|으면"
        r"|면) 안 ?(?:된|됩|돼)|해야 ?(?:함|됨|됩|된)|금지|지 ?말 ?(?:것|아|자|라)|(?:할|쓸|적을|둘) ?것[.]?$",
        "fix": r"\b(?:(?<!being )(?<!be )fixed(?!-| (?:size|width|length|set|number|amount|point|time|string|value|order|list|when|date)\b)|(?<!-)(?:change|commit|patch|pr|release|version|update|#\d+|[0-9a-f]{7,40}) (?:also )?fixes|fixes (?=(?:the|a|an|all|#\d+|this) .*(?:bug|issue|crash|error|regression|leak|race))|(?:^|the )(?:\w+ )?fix (?:is|was|:)|resolved|resolves (?:(?:the|a|an|all|this) )?(?:[\w-]+ ){0,2}(?:bugs?|issues?|problems?|errors?|conflicts?|crash(?:es)?|warnings?|failures?)|(?:now|again) (?:works|passes(?! (?:an?|the|its)\b)|compiles(?! to)|builds(?! (?:an?|the)\b))|solved|work(?:ed)? around"
        r"|workaround|repair(?:ed|s)|correct(?:ed|s) the)\b|수정했|수정하였|해결했|해결됐|해결되었|고쳤|고침|수정함|수정됨|해결함",
        "cause": r"\b(?:root cause|because|caused by|due to|the (?:real |actual )?(?:problem|issue|bug|reason|cause) (?:is|was)"
        r"|(?:turns|turned) out|stems from|results? from|which is why|since (?:the|it|there))\b"
        r"|때문|원인은|이유는|탓에|(?:해서|어서|아서|라서|므로|바람에|느라) [^.]*(?:발생|실패|깨졌|깨지|오류|에러|멈췄|느려)",
        "failure": r"\b(?:fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|broke(?:n)?|breaks|(?:does|did)(?: not|n't) (?:work|compile|build|start)"
        r"|regress(?:es|ion|ed)|(?<!to )raises?|throws?|times? out|timed out|hangs?|leaks?|deadlocks?|is (?:undefined"
        r"|missing)|report(?:s|ed) (?:an? |the )?[\w ]*(?:error|bug|crash|failure|exception|problem|issue"
        r"|regression)|[45]\d\d (?:error|response)s?)\b"
        r"|실패(?:한다|했|합니다|함)|오류가|에러가|깨졌|안 ?된다|안 ?됩니다|누락",
        "change": r"^(?:(?:I|we|the agent|the user|the team) (?:have |has |just )*)?(?:added|removed|renamed|extracted|moved"
        r"|replaced|migrated|rewrote|rewritten|refactored|implemented|introduced|updated|upgraded|bumped|created"
        r"|deleted"
        r"|dropped|enabled|disabled|converted|merged|split|integrated|deprecated|reverted|configured|documented|wired"
        r"|simplified|attached|exposed|shipped|switched)\b"
        r"|(?:추가|삭제|제거|변경|이동|교체|적용|도입|구현|배포)(?:했|하였|됐|되었|함|됨)|로 (?:옮겼|전환했|갈아탔|이전했)",
        "property": r"\b(?:is|are|was|were|has|have|returns?|uses?|requires?|needs|supports?|accepts?|rejects?|depends? on"
        r"|lives? in|contains?|handles?|defaults? to|expects?|calls?|reads?|writes?|stores?|runs?|emits?|renders?"
        r"|provides?"
        r"|generates?|loads?|ignores?|skips?|(?:do(?:es)?|can|will)(?: not|n't)|cannot|works?|starts?|ends?|sends?"
        r"|inherits?"
        r"|allows?|prevents?|validates?|maps?|wraps?|points? (?:to|at)|lacks?|(?:auto-)?\w*generates?|bypass(?:es)?"
        r"|detects?|excludes?|includes?"
        r"|falls? back|overrides?|extends?|implements?|matches|catch(?:es)?|converts?|parses|creates|deletes"
        r"|removes|triggers?|blocks?"
        r"|keeps|connects?|listens?|caches|retries|polls?|schedules|assumes?|relies|belongs|consists|covers"
        r"|installs|exposes|treats"
        r"|sorts|filters|fires|spawns?|locks|expires?|merges|inserts|escapes|strips|truncates|rounds|wins|applies"
        r"|takes)\b"
        r"|^we (?:always |usually |also |now )?(?:ship|sign|tag|publish|release|deploy|send|rotate|back up|archive|mirror|lint|format|review|squash"
        r"|bump|cut|host|monitor|log|track|version|vendor|translate|test|build|measure|tag|freeze|pay|meet|plan|split)\b"
        r"|(?:이다|입니다|있다|있습니다|없다|없습니다|사용한다|사용합니다|필요하다|필요합니다|된다|됩니다|한다|합니다"
        r"|지 (?:않는다|않습니다|않다|않아|않아요|못한다|못합니다))[.]?$",
    }.items()
}  # fmt: skip

# A lasting instruction, not one for the current task.
STANDING_ORDER = compile_later(
    r"^(?:(?:please|and|also|from now on|in this (?:repo|repository|project)|going forward|remember|as a rule"
    r"|rule)[,:]? (?:to )?)*"
    r"(?:(?:never|always) (?!(?:mind|been|had|was|thought|knew|wanted|up|good|great|nice|happy|glad|here|there|love"
    r"|loved|loving|fun|ready|so|an?|the|in|on|for|too|special|wondered)\b)[a-z][\w-]+\b"
    r"|(?:do not|don't|avoid|no(?!(?:\W+\w+){1,4}?\W+(?:found|available|detected|specified|given|matched|changed"
    r"|left)\b))\b(?! worry| forget| know| think| mind| touch (?:it|that)| need| have| do (?:it"
    r"|that)| idea| problem| thanks| longer)"
    r" ?.*\b(?:to|in|on|into|from|without|with|before|after|for|by|directly|ever|anywhere|unless)\b"
    r"|(?:only )?(?:use|prefer|keep|put|write|run|name|store|format|pin|squash|rebase|sign|log|test|add|make sure"
    r"|ensure)\b.*"
    r"\b(?:instead of|rather than|not (?=[\w`])|over (?=[\w`]+[.]?$)|(?:before|after|on|for|in|with) (?:every|each"
    r"|any|all)\b|always|whenever|at all times|from now on)"
    r"|(?:use|keep) (?:[\w`'./+-]+ ){1,4}(?:in|for|to|under) (?:(?:the|our|all|any) )?(?:[\w-]+ ){0,2}"
    r"(?:docs?|documentation|code|tests|comments|commits|messages|names|strings|logs|changelog|migrations|scripts"
    r"|branches|files"
    r"|modules|components|endpoints|queries|configs?|fixtures)(?:,? please)?[.!]?$"
    r"|only (?:the |our )?[\w `-]{2,40}? (?:may|can|should|must|(?:is|are) allowed to) [a-z]+\b"
    r"|(?:do not|don't|never|avoid) (?:use|using|run|running|commit|push|add|edit|mock|skip|bypass|disable|write"
    r"|create|put|call|import|rely"
    r"|hard-?code|amend|force|merge|deploy|delete|install|rename)\b(?!(?:(?!, (?:I|we) [a-z]).)*\b(?:yet|now|this|that|it|them|here"
    r"|anything|everything|until I)\b) [\w`-]+\b.*"
    r"|use (?:`[^`]+`|[\w.+-]+) (?:for|as) (?:all |the |every |any )?(?:`[^`]+`|[\w-]+)(?: [\w-]+){0,2}"
    r"(?: (?:in|of|on) (?!this\b|that\b)(?:the |our |all |every )?[\w./-]+(?: [\w./-]+){0,2})?[.!]?$)"
    r"|^(?:please )?(?:answer|reply|respond|explain|speak|talk|write)(?: to me| me)? (?:in (?-i:[A-Z])\w+|briefly"
    r"|without|concisely)\b"
    r"|(?:^|\. )(?:[^.]{1,30}[은는에면서시때] )?(?:앞으로(?:는)?|이제부터(?:는)?|항상|반드시|절대(?:로)?|언제나|무조건) .*(?:세요|십시오|줘|주세요|할 것|말 것|마|라|자|한다|합니다|해야|쓴다)[.!]?$"
    r"|(?:^|\. )(?:[^.은는이가]{1,30}(?:전|후|뒤|때|마다)(?:에|에는|는|엔)? )?(?:항상|언제나|무조건|매번) \S*[을를로] ?[가-힣]*(?:해|돌려|써|올려|둬)[.!]?$"
    r"|(?:하지|쓰지|넣지|올리지|푸시하지|커밋하지|사용하지|건드리지|수정하지) ?(?:마세요|마라|마|말 ?것|말자|말아|않는다|않습니다|마십시오)"
    r"|대신(?:에)? .*(?:세요|쓰자|써라|사용해|써 ?줘|쓸 것|사용할 것|십시오)[.!]?$",
    _I,
)
# Work that is left for later, which is a task and no fact.
TASK_LINE = compile_later(
    r"^(?:\*\*)?(?:to ?do|fixme|action item|follow[- ]?ups?|reminder|later|note to (?:self|myself)|(?:나중에 |추후 ?)?(?:할 ?(?:일|것)|해야 ?할 ?(?:일|것))|나중에|추후"
    r"|후속 ?작업)\b[^:：\n]{0,30}(?:\*\*)?[:：]"
    r"|^(?:아직|나중에|다음에) .*야 ?(?:한다|합니다|해요|해|함)[.!]?$"
    r"|^(?:.*[은는을를] )?(?:나중에|추후에?|다음(?: ?번| 기회)?에|이따가?) (?:.*[ 을를])?[가-힣]{0,6}(?:하자|합시다|하죠|할게요?|하겠습니다)[.!]?$"
    r"|^(?:please )?(?:don't|do not) forget\b|^(?:(?:later|also|so|and|but),? )?(?:we|i) (?:also )?(?:still (?:need|have)|have yet) to\b",
    _I,
)
PLAN = compile_later(
    r"^(?:(?:ok|okay|good|great|perfect|excellent|right|alright|yes|no|so|and|but|then|now|next|first|finally"
    r"|also)\b[,.!:—– -]*)*"
    r"(?:let me|let's (?:see|check|look|start|run|do|try|first|also|move|now)|let us|i(?:'ll| will|'m going"
    r"| am going| need| should|'d(?! rather| prefer| like (?:us|the)\b)| would(?! rather| prefer)| want to|'m now"
    r"| can (?:now|see|also)"
    r"| think i| also need|'ve (?:got|already|read)| have (?:a|the|all|enough|now)| now have| see\b| understand)"
    r"|we (?:need|should|could|can now|also need|now need|still need)|need to|going to|continuing|starting|time to"
    r"|moving on"
    r"|here(?:'s| is| are)|there (?:are|is) (?:a few|several|some|two|three|four|\d)|(?:now|next|then|first)\b)",
    _I,
)
# Verbs of commit subjects and lists.
COMMIT_VERB = compile_later(
    r"(?:add|remove|rename|extract|move|replace|migrate|rewrite|refactor|implement|introduce|update|upgrade|bump"
    r"|create|delete"
    r"|drop|enable|disable|convert|merge|split|integrate|deprecate|revert|configure|document|wire|simplify|attach"
    r"|expose"
    r"|switch|support|handle|emit|store|show|hide|display|render|allow|prevent|ensure|make|use|bind|pass|keep|skip"
    r"|ignore"
    r"|include|persist|track|cache|guard|validate|alias|set|reduce|improve|clean|restore|link|sync|load|parse|detect"
    r"|normali[sz]e|ingest|alias|unify|consolidate|propagate|wrap|rework|harden|tighten|preserve|reuse|truncate"
    r"|strip|surface|treat"
    r"|exclude|collect|register|compute|generate|capture|upsert|batch|limit|increase|decrease|stop|start|run|call"
    r"|return|send|fix|resolve|correct)(?:e?s|e?d|ped|ted)?\b",
    _I,
)
FIX_VERB = compile_later(
    r"(?:fixed|corrected|repaired|resolved (?:an?|the) (?:bug|issue|crash|race|deadlock|leak))\b", _I
)
# Commands, headings and fragments without a subject.
SUBJECTLESS = compile_later(
    r"^(?:(?:how|what|why|which|who|where|looking|given|using|based|depending)\b"
    r"|(?:calls?|returns?|handles?|includes?|contains?|uses?|supports?|emits?|stores?|renders?|reads?|writes?|runs?"
    r"|sends?|has"
    r"|provides?|loads?|accepts?|requires?|needs?|shows?|displays?|creates?|updates?|keeps?|adds?|removes?|checks?"
    r"|gets?|sets?"
    r"|ensures?|allows?|prevents?|defines?|starts?|stops?|makes?|takes?|maps?|wraps?|tests?|verif(?:y|ies)|is|are"
    r"|can|will"
    r"|(?:do|does|did)(?:n't| not)?|cannot|exits?|works?|waits?|merges?|moves?|replaces?|fix(?:es)?|implements?"
    r"|extends?|tracks?"
    r"|builds?|parses?|filters?|formats?|registers?|routes?|manages?|generates?|fetches|fetch|queries|query|see"
    r"|note)\b)"
    r"|^(?:if|when) [^,]{3,120}, (?:it )?(?:returns|uses|calls|emits|shows|renders|raises|falls)\b"
    r"|^[^.!?]{1,60} [-–—:] (?:add|update|merge|fix|create|remove|implement|extend|extract|write|test|needs?)\b",
    _I,
)
FRAGMENT = compile_later(r"^(?:includes|covers|closes|contains|provides|see|and|with)\b", _I)  # in a commit message
PLAN_KOREAN = compile_later(r"(?:하겠습니다|겠습니다|할게요|해볼게|하려고|볼까요|합시다|할 예정|해 ?보자|드리겠)[.!]?$")
PLAN_INSIDE = compile_later(
    r"\blet me\b|\bI'll\b|\bI will\b|\bI'm going to\b|\bif you(?:'d)? (?:want|like|prefer)\b"
    r"|\bneeds? to be \w+ed\b|\bstill needs?\b",
    _I,
)
HEDGE = compile_later(
    r"\?|\b(?:maybe|perhaps|probably|possibly|presumably|i (?:think|guess|believe|assume|suspect)|seems?|looks? like"
    r"|appears? to|might|(?<!nothing )(?<!nobody )may (?:not )?(?:be|have|contain|need|cause|break)|could be|not sure|would you|should i"
    r"|do you|wonder(?:ing)?|hopefully|let me know|either way"
    r"|likely|apparently|unclear|todo|tbd)\b|같다|같습니다|같아요|아마|혹시|까요|나요",
    _I,
)
CHATTER = compile_later(
    r"^(?:(?:all|everything|both|nothing|none|some|most|another|each|others?|one more|same|done|ok|thanks?|sorry|hi"
    r"|hello"
    r"|pushed|committed|clean|still|almost|only(?! [\w `-]{2,40} (?:may|can|must|should|(?:is|are) allowed)\b)|just"
    r"|yes|no)\b|that's|it's|what's|you\b|as (?:shown|requested|you)"
    r"|based on|note that i|in summary|summary|overview|see\b|e\.g|i\.e|example|for example|step \d|\d+ (?:tests?"
    r"|files?)\b)"
    r"|\b(?:tests? pass(?:ed|es)?|all green|as requested|your (?:question|request)|this conversation|ready to|go ahead"
    r"|great question|hope this|yet|should work|unblocked|too (?:large|long|big)|(?:is|are) (?:now )?(?:done|ready"
    r"|complete[d]?|closed|pre-existing|unused)|unrelated )\b",
    _I,
)
# References to something outside the sentence, which is kept only if they were resolved or refer to a part of it.
DANGLING_REFERENCE = compile_later(
    r"^that\b|\b(?:he|him|his|she|hers?|it|its|itself|they|them|their|theirs|themselves|this|these(?! days)|those|"
    r"here|above|below|former|latter|such|aforementioned|ones"
    r"|one(?!-| (?!of|is|was|in|on|at|to|for|from|with|and|or|but|that|which|who|has|more|by|as|the)[a-z]))\b",
    _I,
)
# "the bug in the auth module" says its location, so it needs no other sentence.
_LOCATED = (
    r"(?!(?:bugs?|issues?|problems?|errors?|failures?|tests?|functions?|methods?|class|files?|module|commits?"
    r"|handler|helper"
    r"|timeouts?|warnings?|migration)(?: \w+)? (?:in|of|with|for|at|on|from) (?:the |our )?(?:`[^`]+`"
    r"|['\"]?[\w-]*[/_.][\w/.-]+|(?-i:[A-Z])\w+|(?!same|other|new|old|code|repo|project|file|last|first)[\w-]+ "
    r"(?:module|service|page|client|server|parser|handler|worker|layer|tests?|form|endpoint|queue|package|component"
    r"|job|api"
    r"|cli|ui|controller|middleware|database|table|loader|pipeline)))"
)
VAGUE_REFERENCE = compile_later(
    r"\b(?:the|that) (?:same |other |new |old |following |previous |current |first |second |third |next |last "
    r"|remaining |above |existing |whole |entire |actual |real |auto-generated |generated )*"
    rf"{_LOCATED}"
    r"(?:bugs?|issues?|problems?|errors?|files?|functions?|methods?|class|fix|change|changes|code|tests?|failures?"
    r"|ones?|others?|thing|things|approach|solution|tasks?|subtasks?|epics?|commits?|branch|output|results?|session"
    r"|work|plan"
    r"|user's (?:request|question)|conversation|module|list|table|step|steps|cases?|rest|script|command|warning"
    r"|warnings|edit|edits"
    r"|line|lines|part|parts|repo|repository|codebase|project|feature|pr|implementation|test suite|task|bead|beads"
    r"|documentation|html|template|value|field|response|format|helper|handler|guard|import|alias|aliases|migration"
    r"|text|key|guard|mapping|css file|alias group|genserver|subtree|diff|log|logs)"
    r"(?=\s+(?:is|are|was|were|has|have|had|does|do|did|will|would|can|could|should|must|in|on|at|to|for|of|from|with"
    r"|by|and|or|but|that|which|because|now|still|already|first|too|also|fails?|works?|passes|happens)\b|\s*[.,;:!)]|\s*$)",
    _I,
)
VAGUE_KOREAN = compile_later(
    r"(?<![가-힣])(?:그것|이것|저것|그거|이거|(?:그|이|저|해당) (?:버그|파일|함수|문제|오류|에러|코드|테스트|커밋|작업|부분|방법|변경))"
)
HANGUL = compile_later(r"[가-힣]")
# The ending of a full sentence, polite or plain: "씁니다", "쓴다", "써요", "썼어", "45초야", "써 줘".
KOREAN_VERB = compile_later(
    r"(?:다|요|죠|음|임|됨|함|것|[가-힣]야|[있없했았었였렸졌됐겼꿨쳤갔왔봤줬뒀썼렀켰냈]어|[가-힣] ?줘|해|돼|자|마|지)"
    r"(?: ?\([^()]*\))?[.!]?[\"')]*$"
)

SUCCESS = compile_later(
    r"\b(?:fix(?:ed|es)|resolved?|solved|works|worked|pass(?:es|ed)|succeed(?:s|ed)|successful(?:ly)?|completed?"
    r"|green)\b"
    r"|해결|성공|통과|고쳤|수정했",
    _I,
)
FAILURE = compile_later(
    r"\b(?:fail(?:s|ed|ing|ure)?|crash(?:es|ed)?|broken?|breaks|(?:do|does|did)(?: not|n't) work|error|timed out"
    r"|regress(?:ion|ed)?"
    r"|reject(?:s|ed)|denied|undefined|missing)\b|실패|오류|에러|깨졌",
    _I,
)
PARTIAL = compile_later(
    r"\b(?:partial(?:ly)?|mostly|except for|still fails?|some of the|only half|not all)\b|일부|부분적", _I
)
INTENTS = {
    "decision": "decide", "preference": "prefer", "rule": "constrain", "fix": "fix", "cause": "explain",
    "failure": "report", "change": "implement", "property": "describe",
}  # fmt: skip
COMMIT_INTENTS = {
    "feat": "implement", "fix": "fix", "perf": "optimise", "refactor": "refactor", "docs": "document", "test": "test",
    "chore": "maintain", "build": "maintain", "ci": "maintain", "revert": "revert", "style": "maintain",
}  # fmt: skip
# Texts that a host put into the role of the user, and summaries that retell a session.
HOST_TEXT = compile_later(
    r"\s*(?:<(?:task-notification|system-reminder|command-|local-command|bash-|analysis|summary|user-memory|ide_)"
    r"|\[Request interrupted|(?:PreToolUse|PostToolUse|SessionStart|UserPromptSubmit|Stop)(?::\w+)? hook"
    r"|This session is being continued|Your task is to create a detailed summary|Caveat:)",
)
