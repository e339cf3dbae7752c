"""The table of secrets that can be told by their own shape: tokens of providers, headers, URLs, commands, prose.
One row a rule, as data; the engine is `scan`. Formats are those that providers document or that their tokens show."""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """A rule is tried only where one of its `anchors` (literal, case-sensitive) stands in the text. `pattern` is
    matched there, or where the run of characters of the set `run` before it begins, at most `reach` characters back.
    The secret is the last group of the pattern, else the whole match; `check` names a test in `judge.CHECKS`. `glance` is what
    stands around each place where it is worth trying: anchors that are frequent are mostly something else."""

    kind: str
    anchors: tuple[str, ...]
    pattern: str
    run: str = ""
    reach: int = 128
    check: str = "filled"
    glance: str = ""


# Before a token: no letter or digit, unless it ends an escape (`\n`, `%3D`) or a terminal colour (`ESC[31m`).
START = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9a-f]{4})|(?<=%[0-9A-F]{2})|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m))"
)
END = r"(?![A-Za-z0-9])"
HEX = r"[0-9a-f]"
DIGITS = "0123456789"
ALNUM = DIGITS + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
BASE64 = ALNUM + "+/"
WORD = ALNUM + "_-"
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# A name with a password before a host: no label of an address (`mailto:`), version (`npm:react@18`) or port.
LOGIN = (
    r"(?<![\w./@:-])(?!(?i:mail(?:to)?|e-?mail|from|to|cc|bcc|reply-to|author|contact|user(?:name)?|login|owner|sips?|acct|xmpp"
    r"|jabber|im|npm|pkg|git|image|docker|ref|https?|v?\d[\w.]*):)([A-Za-z_][\w.+-]{0,63})"
    r":(?!\d{1,5}@)([^\s:/\"'`<>{}()\[\]|\\,;]{4,120})"
)
BEFORE_HOST = r"(?<=[^\s:/\"'`<>{}()\[\]|\\,;])@[A-Za-z0-9]"
HOST = r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24})"
PLACE = (
    r"(?!(?:[\w-]{1,60}\.){0,4}example\b|sha\d)"
    rf"(?:{HOST}(?::\d{{2,5}}(?!\w)|:?/[\w~])|[A-Za-z][\w-]{{0,62}}:(?:\d{{2,5}}(?!\w)|/[\w~])|\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?![\w.]))"
)
SQL_PASSWORD = r"(?i:identified\s{1,4}(?:with\s{1,4}[\w\"'`]{1,40}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?)"


def _token(kind: str, anchors: str, body: str, check: str = "filled") -> Rule:
    """A row for a token that begins with one of the space-separated `anchors`; `body` is everything from there on."""
    return Rule(kind, tuple(anchors.split()), f"{START}{body}{END}", check=check)


TOKENS: tuple[Rule, ...] = (
    # Source code hosts and package registries
    _token("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9_.-]{36,600}"),
    _token("github_token", "github_pat_", r"github_pat_[A-Za-z0-9]{20,24}_[A-Za-z0-9]{57,63}"),
    _token(
        "gitlab_token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
        r"gl[a-z]{2,6}-[A-Za-z0-9_-]{20,300}(?:\.[a-z0-9]{2}\.[a-z0-9]{9})?",
    ),
    _token("gitlab_token", "GR1348941", r"GR1348941[\w-]{20,4096}+"),
    Rule("gitlab_token", ("_gitlab_session=",), r"_gitlab_session=([0-9a-z]{32})"),
    _token("bitbucket_token", "ATBB", r"ATBB[A-Za-z0-9_=-]{24,60}"),
    _token("bitbucket_token", "BBDC-", r"BBDC-[A-Za-z0-9+/@_-]{40,60}"),
    _token("atlassian_token", "ATATT3 ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=-]{60,260}"),
    _token("atlassian_token", "ATSTT3 ATOTT3", r"AT[SO]TT3[A-Za-z0-9_=-]{60,260}"),
    _token("npm_token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    Rule(
        "npm_token", (":_auth", ":_password"), r":_(?:authToken|auth|password)\s?=\s?\"?([^\s\"$]{8,400})", check="real"
    ),
    _token("pypi_token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{40,4096}+"),
    _token("rubygems_token", "rubygems_", rf"rubygems_{HEX}{{48}}"),
    _token("nuget_token", "oy2", r"oy2[a-z0-9]{43}"),
    _token("crates_token", "cio", r"cio[A-Za-z0-9]{32}"),
    _token("clojars_token", "CLOJARS_", r"(?:CLOJARS_)[A-Za-z0-9]{60}"),
    _token("packagist_token", "packagist_", rf"packagist_[a-z]{{3}}_{HEX}{{68,4096}}+"),
    _token("docker_token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[\w-]{27,36}"),
    _token("artifactory_token", "AKCp", r"AKCp[A-Za-z0-9]{60,80}"),
    _token("artifactory_token", "cmVmdGtu", r"cmVmdGtuOj[A-Za-z0-9+/=]{50,70}", "random"),
    _token("sourcegraph_token", "sgp_ slk_", r"(?:sgp|slk)_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40,64}"),
    _token("sonar_token", "sqp_ squ_ sqa_", rf"sq[pua]_{HEX}{{40}}"),
    # Clouds
    _token(
        "aws_access_key", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)(?![A-Z0-9]{0,16}(?:EXAMPLE|LIKE))[A-Z0-9]{16}"
    ),
    _token("aws_access_key", "A3T", r"A3T[A-Z0-9](?![A-Z0-9]{0,16}EXAMPLE)[A-Z0-9]{16}", "random"),
    Rule(
        "aws_secret_key",
        ("AKIA", "ASIA", "ABIA"),
        r"A[KSB]IA[A-Z0-9]{16}(?![A-Z0-9])[^<]{1,240}?(?<![A-Za-z0-9+/=_-])"
        r"([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=_-])",
        check="random",
    ),
    _token("aws_mws_key", "amzn.mws.", r"amzn\.mws\.[0-9a-z]{8}(?:-[0-9a-z]{4}){3}-[0-9a-z]{12}"),
    _token("aws_appsync_key", "da2-", r"da2-[a-z0-9]{26}"),
    _token("aws_bedrock_key", "ABSK", r"ABSK[A-Za-z0-9+/]{100,160}={0,2}"),
    _token("aws_bedrock_key", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=_-]{24,4096}+"),
    _token(
        "aws_session_token", "IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz", r"(?:IQoJ|FwoG|FQoG)[A-Za-z0-9+/=]{80,4096}+"
    ),
    _token("alibaba_key", "LTAI", r"LTAI[A-Za-z0-9]{12,24}"),
    Rule(
        "alibaba_secret",
        ("LTAI",),
        r"LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])[^<]{1,240}?(?<![A-Za-z0-9])([A-Za-z0-9]{30})(?![A-Za-z0-9])",
        check="random",
    ),
    _token("tencent_key", "AKID", r"AKID[A-Za-z0-9]{28,36}", "random"),
    _token("google_api_key", "AIza", r"AIza[\w-]{35}"),
    _token("google_oauth_secret", "GOCSPX-", r"GOCSPX-[\w-]{24,32}"),
    _token("google_oauth_token", "ya29.", r"ya29\.[\w-]{20,4096}+"),
    _token("google_refresh_token", "1//0", r"1//0[\w-]{40,4096}+"),
    _token("google_hmac_key", "GOOG", r"GOOG1?[A-Z0-9]{18,60}", "random"),
    Rule(
        "google_webhook",
        ("https://chat.googleapis.com/v1/spaces/",),
        r"https://chat\.googleapis\.com/v1/spaces/[^\s\"'<>]{1,200}?[?&]key=[^\s\"'<>]{10,400}",
    ),
    Rule("azure_client_secret", ("Q~",), r"[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])", run=WORD + "~."),
    Rule(
        "azure_storage_key",
        ("AccountKey=", "SharedAccessKey=", "accountkey="),
        r"(?:[Aa]ccountKey|accountkey|SharedAccessKey)=([A-Za-z0-9+/]{40,90}={0,2})",
    ),
    Rule("azure_sas_signature", ("sig=",), r"(?<=[?&;])sig=((?:[A-Za-z0-9+/]|%2[BbFf]){40,60}(?:=|%3[Dd]){0,2})"),
    Rule(
        "azure_key",
        ("AzFu", "AzSe", "AIoT", "AzCa", "+ACR", "+AEh", "+ASb", "+ARm", "+ASt", "+ABa", "ACDb"),
        r"[A-Za-z0-9+/]{30,80}={0,2}(?![A-Za-z0-9+/])",
        run=BASE64,
        check="random",
    ),
    Rule("azure_key", ("JQQJ99",), r"[A-Za-z0-9]{26,52}JQQJ99[A-Za-z0-9]{20,32}(?![A-Za-z0-9])", run=ALNUM),
    _token("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", rf"do[opr]_v1_{HEX}{{64}}"),
    _token("heroku_key", "HRKU-", r"HRKU-[A-Za-z0-9_-]{36,70}"),
    _token("fly_token", "fo1_ fm1a_ fm1r_ fm2_", r"(?:fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/=_-]{80,4096}+)"),
    _token("render_key", "rnd_", r"rnd_[A-Za-z0-9]{28,36}"),
    _token(
        "vercel_token",
        "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_",
        r"(?:vc[piark]_[A-Za-z0-9]{24,80}|vercel_blob_rw_[A-Za-z0-9_]{30,4096}+)",
    ),
    _token("netlify_token", "nfp_ nfc_ nfo_ nfu_ nfb_", r"nf[pcoub]_[A-Za-z0-9]{36}"),
    _token("cloudflare_token", "cfat_ cfut_ cfk_", r"cf(?:at|ut|k)_[A-Za-z0-9]{40,60}"),
    _token("cloudflare_ca_key", "v1.0-", rf"v1\.0-{HEX}{{24}}-{HEX}{{140,150}}"),
    _token("scaleway_key", "SCW", r"SCW[A-Z0-9]{17}", "random"),
    _token(
        "yandex_token",
        "AQVN t1. y0_ y1_ y2_ y3_",
        r"(?:AQVN[\w-]{35,38}|t1\.[\w-]{20,4096}+\.[\w-]{80,90}|y[0-3]_[\w-]{50,64})",
    ),
    _token("ibm_key", "ApiKey-", rf"ApiKey-{UUID}"),
    _token("planetscale_token", "pscale_", r"pscale_(?:tkn|pw|oauth|api)_[\w=.-]{32,64}"),
    _token("neon_key", "napi_", r"napi_[a-z0-9]{60,70}"),
    _token("supabase_key", "sbp_ sb_secret_", rf"(?:sbp_(?:v0_|oauth_)?{HEX}{{40}}|sb_secret_[\w-]{{28,40}})"),
    _token("mongodb_atlas_key", "mdb_sa_sk_", r"mdb_sa_sk_[\w-]{36,44}"),
    _token("databricks_token", "dapi dkea dose", rf"d(?:api|kea|ose){HEX}{{32}}(?:-\d)?"),
    _token("aiven_token", "aivenv1", r"aivenv1[A-Za-z0-9+/=]{100,4096}+"),
    _token("tailscale_key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9]{8,24}(?:-[A-Za-z0-9]{16,48})?"),
    _token("defined_networking_key", "dnkey-", r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    # Secret stores and infrastructure tools
    _token("vault_token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{24,300}"),
    Rule(
        "vault_token",
        ("s.",),
        r"(?<![\w.\\/-])s\.(?=[a-zA-Z]{0,23}[0-9])(?=[0-9a-z]{0,23}[A-Z])[A-Za-z0-9]{24}(?![\w.(-])",
        check="random",
    ),
    Rule("terraform_token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}", run=ALNUM),
    _token("doppler_token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    _token("1password_token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9_+/-]{200,4096}+={0,3}"),
    _token(
        "1password_secret_key", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"
    ),
    _token("age_secret_key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-(?:PQ-)?1[AC-HJ-NP-Z02-9]{58,4096}+"),
    _token("nkey_seed", "SA SC SN SO SP SU SX", r"S[ACNOPUX][A-Z2-7]{56}", "random"),
    _token("pulumi_token", "pul-", rf"pul-{HEX}{{40}}"),
    _token("octopus_key", "API-", r"API-[A-Z0-9]{25,27}", "random"),
    _token("harness_key", "pat. sat.", rf"[ps]at\.[\w-]{{22}}\.{HEX}{{24}}\.[A-Za-z0-9]{{20}}"),
    _token("prefect_key", "pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{36}"),
    _token("infracost_key", "ico-", r"ico-(?=[a-z0-9]{0,31}[A-Z])[A-Za-z0-9]{32}"),
    _token("openshift_token", "sha256~", r"sha256~[\w-]{43}"),
    _token("buildkite_token", "bkua_ bkct_ bkpt_", r"bk(?:ua|ct|pt)_[A-Za-z0-9]{40,4096}+"),
    _token("circleci_token", "CCIPAT_ CCIPRJ_", rf"CCI(?:PAT|PRJ)_[A-Za-z0-9]{{20,24}}_{HEX}{{40}}"),
    _token("ngrok_token", "ak_ cr_ tn_", r"(?:ak|cr|tn)_[A-Za-z0-9]{27}", "random"),
    _token("dbt_token", "dbtc_ dbtu_ dbts_", r"dbt[cus]_[\w+=/-]{40,4096}+"),
    # Models and their tools
    _token("anthropic_key", "sk-ant-", r"sk-ant-[a-z]{2,10}\d{0,2}-[\w-]{20,4096}+"),
    _token("openrouter_key", "sk-or-v1-", rf"sk-or-v1-{HEX}{{64}}"),
    _token("openai_key", "sk-", r"sk-(?:[a-z]{3,10}-)?[A-Za-z0-9_-]{16,120}T3BlbkFJ[A-Za-z0-9_-]{16,120}"),
    _token(
        "openai_key",
        "sk-proj- sk-svcacct- sk-admin- sk-None- sk-service-",
        r"sk-(?:proj|svcacct|admin|None|service)-[A-Za-z0-9_-]{40,200}",
        "random",
    ),
    _token("model_api_key", "sk-", r"sk-(?:[a-z]{2,10}-)?(?:[A-Za-z0-9]{48}|[0-9a-f]{32})", "random"),
    _token(
        "huggingface_token",
        "hf_ api_org_",
        r"(?:hf|api_org)_(?=[a-z]{0,39}[A-Z])(?=[A-Z]{0,39}[a-z])[A-Za-z0-9]{34,39}",
    ),
    _token("replicate_token", "r8_", r"r8_[A-Za-z0-9]{37,40}"),
    _token("groq_key", "gsk_", r"gsk_[A-Za-z0-9]{48,56}"),
    _token("xai_key", "xai-", r"xai-[A-Za-z0-9]{70,90}"),
    _token("perplexity_key", "pplx-", r"pplx-[A-Za-z0-9]{40,60}"),
    _token("nvidia_key", "nvapi-", r"nvapi-[\w-]{60,70}"),
    _token("together_key", "tgp_v1_", r"tgp_v1_[\w-]{40,50}"),
    _token("tavily_key", "tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9-]{32,64}"),
    _token("langsmith_key", "lsv2_ ls__", rf"(?:lsv2_[a-z]{{2}}_{HEX}{{32}}_{HEX}{{10}}|ls__{HEX}{{32}})"),
    _token("langfuse_key", "sk-lf-", rf"sk-lf-{UUID}"),
    _token("pinecone_key", "pcsk_", r"pcsk_[A-Za-z0-9]{5,7}_[A-Za-z0-9]{50,70}"),
    _token("fireworks_key", "fw_", r"fw_[A-Za-z0-9]{22,26}", "random"),
    _token("cerebras_key", "csk-", r"csk-[a-z0-9]{48}"),
    _token("elevenlabs_key", "sk_", rf"sk_{HEX}{{48}}"),
    _token("jina_key", "jina_", r"jina_[A-Za-z0-9_-]{50,64}"),
    _token("voyage_key", "pa-", r"pa-[\w-]{43}", "random"),
    _token("firecrawl_key", "fc-", rf"fc-{HEX}{{32}}"),
    _token("e2b_key", "e2b_", rf"e2b_{HEX}{{40}}"),
    _token("wandb_key", "wandb_v1_", r"wandb_v1_[\w-]{60,90}"),
    _token("posthog_key", "phc_ phx_ phs_ phr_ pha_ phe_", r"ph[cxsrae]_[A-Za-z0-9]{40,60}"),
    # Chat, mail and social networks
    _token(
        "slack_token",
        "xoxb- xoxp- xoxa- xoxo- xoxs- xoxr- xoxe- xoxd- xoxc-",
        r"xox[a-z]-(?:\d-)?(?:(?:\d{6,14}-){1,3}[0-9a-zA-Z]{10,64}|(?=[a-zA-Z+/%]{0,40}\d)[0-9a-zA-Z+/%]{20,200})",
    ),
    _token("slack_token", "xoxe.xox", r"xoxe\.xox[bp]-\d-[A-Za-z0-9]{60,200}"),
    _token("slack_token", "xapp- xwfp-", r"(?:xapp|xwfp)-\d-[A-Z0-9]{8,14}-\d{8,16}-[A-Za-z0-9]{24,100}"),
    Rule(
        "slack_webhook",
        ("hooks.slack.com/", "hooks.slack-gov.com/"),
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,4096}+)",
    ),
    _token(
        "discord_token", "MT Mj Mz MD NT Nj Nz ND OT OD", r"[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}", "random"
    ),
    _token("discord_token", "mfa.", r"mfa\.[\w-]{80,90}"),
    Rule("discord_webhook", ("/api/webhooks/",), r"/api/webhooks(/\d{15,22}/[\w-]{50,80})"),
    Rule("telegram_token", (":A",), r"\d{8,10}:A[A-Za-z][\w-]{33}(?![\w-])", run=DIGITS),
    Rule(
        "teams_webhook",
        (".webhook.office.com/", ".logic.azure.com"),
        r"\.(?:webhook\.office\.com/webhookb2/([\w@/-]{40,300})|logic\.azure\.com[^\s\"'<>]{1,300}?[?&]sig=([\w%-]{20,4096}+))",
    ),
    Rule(
        "webhook",
        ("hooks.zapier.com/hooks/catch/", "maker.ifttt.com/trigger/"),
        r"(?:hooks\.zapier\.com/hooks/catch/|maker\.ifttt\.com/trigger/[\w-]{1,80}/(?:json/)?with/key/)([\w/-]{8,4096}+)",
    ),
    _token("twilio_key", "SK", r"SK[0-9a-fA-F]{32}", "random"),
    _token("sendgrid_key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    _token("mailgun_key", "key- pubkey-", r"(?:pub)?key-[0-9a-z]{32}", "random"),
    Rule("mailchimp_key", ("-us",), r"[A-Za-z0-9]{32}-us\d{1,2}(?![A-Za-z0-9])", run=ALNUM, check="random"),
    _token("sendinblue_key", "xkeysib- xsmtpsib-", rf"x(?:key|smtp)sib-{HEX}{{64}}-[A-Za-z0-9]{{16}}"),
    _token("resend_key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}", "random"),
    _token("facebook_token", "EAA", r"EAA[A-Za-z0-9]{60,300}"),
    Rule("facebook_token", ("|", "%7C"), r"\d{15,16}(?:\||%7C)[\w-]{27,28}(?![\w-])", run=DIGITS),
    _token("instagram_token", "IGQ IGA", r"IG[QA][A-Za-z0-9_-]{80,300}"),
    _token("twitter_token", "AAAAAAAAAAAAAAAAAAAA", r"A{20,22}[A-Za-z0-9%]{70,120}"),
    _token("linkedin_token", "WPL_AP", r"WPL_AP\d?\.[A-Za-z0-9+/=.]{10,60}"),
    _token("dropbox_token", "sl.", r"sl\.(?:u\.)?[\w=-]{120,1500}"),
    Rule(
        "dropbox_token",
        ("AAAAAAAAAA",),
        r"[A-Za-z0-9]{11}AAAAAAAAAA[\w=-]{43}(?![A-Za-z0-9])",
        check="random",
        run=ALNUM,
    ),
    _token("salesforce_token", "00D", r"00D[A-Za-z0-9]{9,15}!A[A-Z][A-Za-z0-9._]{40,200}", "any"),
    _token("salesforce_key", "3MVG", r"3MVG[A-Za-z0-9._]{60,110}"),
    _token("adobe_secret", "p8e-", r"p8e-[A-Za-z0-9]{32}"),
    # Payments and shops
    _token(
        "stripe_key",
        "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ sk_org_",
        r"[sr]k_(?:live|test|prod|org)_[A-Za-z0-9_]{24,250}",
        "any",
    ),
    _token("stripe_webhook_secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,80}"),
    _token("square_token", "sq0", r"sq0[a-z]{3}-[\w-]{22,50}"),
    _token("square_token", "EAAA", r"EAAA[\w-]{60}"),
    _token("paypal_token", "access_token$", rf"access_token\$(?:production|sandbox)\$[0-9a-z]{{16}}\${HEX}{{32}}"),
    _token("plaid_token", "access- public- link-", rf"(?:access|link)-(?:sandbox|development|production)-{UUID}"),
    _token("shopify_token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_ shpltk_", r"shp[a-z]{2,3}_[0-9a-zA-Z]{32,40}"),
    _token("razorpay_key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,4096}+"),
    _token("flutterwave_key", "FLWSECK", r"FLWSECK(?:_TEST|_LIVE)?-[0-9a-zA-Z]{12,40}(?:-X)?"),
    _token("lob_key", "live_ test_", rf"(?:live|test)_(?:pub_)?{HEX}{{31,40}}", "random"),
    _token("gocardless_token", "live_ sandbox_", r"(?:live|sandbox)_[\w=-]{40}", "random"),
    _token("easypost_key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54}"),
    _token("shippo_token", "shippo_", rf"shippo_(?:live|test)_{HEX}{{40}}"),
    _token("duffel_token", "duffel_", r"duffel_(?:test|live)_[\w=-]{43}"),
    _token("ebay_token", "v^1.1#", r"v\^1\.1#i\^1#[A-Za-z0-9^#+/=]{40,4096}+"),
    Rule("maxmind_key", ("_mmk",), r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])", run=WORD),
    # Work and content
    _token("notion_token", "ntn_", r"ntn_\d{9,11}[A-Za-z0-9]{35,37}"),
    _token("notion_token", "secret_", r"secret_[A-Za-z0-9]{43}", "random"),
    _token("linear_key", "lin_api_ lin_oauth_", r"lin_(?:api_[A-Za-z0-9]{38,48}|oauth_[0-9a-f]{60,70})"),
    _token("figma_token", "figd_ figu_ figo_ figor_ figoh_", r"fig[a-z]{1,2}_[\w-]{38,50}"),
    _token("airtable_token", "pat", rf"pat[A-Za-z0-9]{{14}}\.{HEX}{{64}}"),
    _token("asana_token", "0/ 1/ 2/", rf"[012]/\d{{16}}(?:/\d{{16}})?:{HEX}{{32}}"),
    _token("hubspot_token", "pat-na1- pat-eu1- pat-na2-", rf"(?i:pat-(?:na|eu)\d-{UUID})"),
    _token("clickup_token", "pk_", r"pk_\d{5,10}_[A-Z0-9]{32}"),
    _token("trello_token", "ATTA", r"ATTA[A-Za-z0-9]{60,76}"),
    _token("typeform_token", "tfp_", r"tfp_[\w.=-]{40,60}"),
    _token("contentful_token", "CFPAT-", r"CFPAT-[\w-]{43}"),
    _token("sanity_token", "sk", r"sk[A-Za-z0-9]{80,180}", "random"),
    _token("postman_key", "PMAK-", rf"PMAK-{HEX}{{24}}-{HEX}{{34}}"),
    _token("readme_key", "rdme_", r"rdme_[0-9a-z]{70}"),
    _token("frameio_token", "fio-u-", r"fio-u-[\w=-]{64}"),
    _token("settlemint_token", "sm_", r"sm_(?:aat|pat|sat)_[A-Za-z0-9]{16}"),
    _token("wundergraph_key", "cosmo_", rf"cosmo_{HEX}{{32}}"),
    _token("beamer_token", "b_", r"b_[a-z0-9=_-]{44}", "random"),
    _token("intra42_secret", "s-s4t2", rf"s-s4t2(?:ud|af)-{HEX}{{64}}"),
    _token("mapbox_token", "sk.eyJ tk.eyJ", r"[st]k\.eyJ[\w-]{40,4096}+\.[\w-]{20,4096}+"),
    _token("launchdarkly_key", "sdk- api-", rf"(?:sdk|api)-{UUID}"),
    _token("firebase_key", "AAAA", r"AAAA[\w-]{7}:[\w-]{130,150}"),
    _token("unkey_key", "unkey_", r"unkey_[A-Za-z0-9]{16,4096}+"),
    # Watching
    _token("grafana_token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    _token("grafana_token", "glc_eyJ", r"glc_eyJ[A-Za-z0-9+/_-]{24,400}={0,3}"),
    _token("grafana_token", "eyJrIjoi", r"eyJrIjoi[A-Za-z0-9+/_-]{50,400}={0,3}"),
    _token("newrelic_key", "NRAK- NRJS- NRII- NRRA- NRIQ- NRSP-", r"NR[A-Z]{2}-[A-Za-z0-9_-]{19,50}"),
    Rule("newrelic_key", ("FFFFNRAL",), rf"{HEX}{{32}}FFFFNRAL(?![A-Za-z0-9])", run=ALNUM),
    _token("dynatrace_token", "dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _token("sentry_token", "sntrys_ sntryu_ sntrya_", rf"sntry(?:s_eyJ[A-Za-z0-9+/=_-]{{60,400}}|[ua]_{HEX}{{64}})"),
    _token("honeycomb_key", "hcaik_ hcbik_ hcamk_ hcxik_", r"hc[a-z]{3}_[A-Za-z0-9]{40,70}"),
    _token("datadog_key", "ddapp_ ddapi_", r"dda(?:pp|pi)_[A-Za-z0-9]{32,40}"),
)

SHAPES: tuple[Rule, ...] = (
    # Formats that no provider owns
    _token(
        "jwt",
        "eyJ",
        r"ey[IJ][A-Za-z0-9_-]{8,4096}+={0,2}\.e[wy][A-Za-z0-9_-]{4,4096}+={0,2}\.[A-Za-z0-9_-]{10,4096}+",
        "filled",
    ),
    _token(
        "jwt",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{16,4096}+\.[A-Za-z0-9_-]{0,400}\.[A-Za-z0-9_-]{8,40}\.[A-Za-z0-9_-]{20,4096}+\.[A-Za-z0-9_-]{16,4096}+",
    ),
    _token(
        "atlassian_token", "MT Mj Mz MD NT Nj Nz ND OT OD", r"[MNO][A-Za-z0-9+/]{15}O[g-v][A-Za-z0-9+/]{26}", "random"
    ),
    _token("jwt", "ZXlK", r"ZXlK[A-Za-z0-9+/=]{80,4096}+"),
    # `PRIVATE KEY` in Base64, at each of its three alignments
    Rule(
        "private_key",
        ("UFJJVkFURSBLRV", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFW"),
        r"[A-Za-z0-9+/_-]{40,65536}+={0,2}",
        run=BASE64 + "_-",
        reach=16_384,
        check="any",
    ),
    _token(
        "private_key",
        "LS0tLS1CRUdJTi",
        r"LS0tLS1CRUdJTi(?!BDRV|BQVU|BQR1AgUFV|BYNT|BUUl|BSU0EgUFV)[A-Za-z0-9+/_=-]{20,4096}+",
        "any",
    ),
    _token(
        "private_key",
        "MII MHcCAQEE MC4CAQAw MIG",
        r"(?:MII[A-Za-z0-9+/]{3}IBA[ADJ]|MHcCAQEE|MC4CAQAw|MIG[A-Za-z0-9+/]AgEA)[A-Za-z0-9+/]{30,64}(?:\s{0,40}[A-Za-z0-9+/]{16,4096}+){0,200}+={0,2}",
        "any",
    ),
    _token("ntlm_token", "TlRMTVNTUAA", r"TlRMTVNTUAA[A-Za-z0-9+/]{20,4096}+={0,2}", "any"),
    Rule(
        "password_hash",
        ("$2a$", "$2b$", "$2y$", "$5$", "$6$", "$1$", "$apr1$", "$argon2", "$y$", "pbkdf2_"),
        r"(?:\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$(?:[156]|apr1|y)\$(?:rounds=\d+\$|j9T\$)?[./A-Za-z0-9]{1,24}\$[./A-Za-z0-9]{22,86}|\$argon2id?\$v=\d+\$[mtp=,\d]{5,40}\$[A-Za-z0-9+/]{8,100}\$[A-Za-z0-9+/]{16,200}|pbkdf2_sha\d+\$\d+\$[A-Za-z0-9]+\$[A-Za-z0-9+/=]{30,4096}+)",
    ),
    # URLs with a user's name and password, or a token in the place of the name
    Rule(
        "url_password",
        ("://",),
        r"://([^\s/?#:\"'`<>{}|\\,]{0,120}):([^\s/\"'`<>]{1,255})@(?=[\w\[$%{.-])",
        check="userinfo",
    ),
    Rule(  # of a database or broker even a weak password is one
        "url_password",
        ("://",),
        r"(?:[a-z][a-z0-9+]{1,24})?://([^\s/?#:@\"'`<>{}|\\,]{0,120}):([^\s/@\"'`<>]{1,255})@(?!(?:[\w-]{1,60}\.){0,4}example\b|host)(?=[\w\[.-])",
        run="abcdefghijklmnopqrstuvwxyz0123456789+",
        reach=24,
        check="typed",
    ),
    Rule("url_password", ("://",), r"://([^\s/?#:@\"'`<>{}|\\,]{20,255})@[\w.-]", check="random"),
    # The same without a scheme: where a port or a path follows even a weak password is one, before a bare name a chosen one
    Rule(
        "url_password",
        ("@",),
        LOGIN + r"@(?=" + PLACE + ")",
        run=WORD + ".+:!#$%^&*?~",
        check="typed",
        glance=BEFORE_HOST,
    ),
    Rule(
        "url_password",
        ("@",),
        LOGIN + r"@(?=" + HOST + r"(?![\w@-]))",
        run=WORD + ".+:!#$%^&*?~",
        check="chosen",
        glance=BEFORE_HOST,
    ),
    # Registries, key sets
    Rule(
        "password", ("BUNDLE_",), r"BUNDLE_[A-Z0-9_]{3,80}\s?[=:]\s?[\"']?([\w.~-]{1,80}:[\w.~-]{4,80})", check="real"
    ),
    Rule("private_key", ('"d"',), r"\"d\"\s{0,2}:\s{0,2}\"([A-Za-z0-9_-]{40,1024})\"", check="random"),
    # HTTP headers
    Rule(
        "bearer_token",
        ("Bearer ", "bearer ", "BEARER "),
        r"(?i:(?<![a-z])bearer)\s{1,4}\\?[\"']?([A-Za-z0-9_.~+/=:-]{8,4096})",
        check="token",
    ),
    Rule(
        "basic_auth",
        ("Basic ", "basic "),
        r"(?i:(?<![a-z])basic)\s{1,4}([A-Za-z0-9+/_-]{6,1024}={0,2})(?![A-Za-z0-9])",
        check="basic",
    ),
    Rule(
        "cookie",
        tuple(f"{name}{quote}:" for name in ("Cookie", "cookie", "COOKIE") for quote in ("", '"', "'")),
        r"(?i:(?<![a-z])cookie)[\"']?:\s{0,4}[\"']?([\w.%-]{1,80}=[^\s;\"',]{6,4096}[^\r\n\"']{0,4096})",
        check="real",
    ),
    # Commands
    Rule(
        "password",
        ("curl",),
        r"curl(?:[^\n]|\\\n){0,600}?\s(?:-u|--user|-U|--proxy-user)[\s=]{0,2}[\"']?([^\s\"'<>:$]{1,100}):[\"']?([^\s\"']{0,200})",
        check="userinfo",
    ),
    Rule("password", ("sshpass",), r"sshpass\s{1,3}-p\s{0,2}[\"']?([^\s\"']{3,100})", check="real"),
    Rule(
        "password",
        ("mysql", "mariadb"),
        r"(?:mysql(?:dump|admin)?|mariadb)(?=\s)[^\n|;&]{0,200}?\s-p([^\s\"'$<]{3,100})",
        check="real",
    ),
    Rule(
        "password",
        ("docker login", "podman login"),
        r"(?:docker|podman)\slogin\s[^\n|;&]{0,200}?\s-p[\s=][\"']?([^\s\"']{3,200})",
        check="real",
    ),
    Rule("password", ("redis-cli",), r"redis-cli\s[^\n|;&]{0,200}?\s-a\s[\"']?([^\s\"']{3,200})", check="real"),
    Rule("password", ("pass:",), r"(?<=[\s\"'])pass:([^\s\"']{4,100})", check="passphrase"),
    # SQL and configuration languages of their own; a line of `.pgpass`
    Rule("password", (":5432:",), r":5432:[\w*-]{1,63}:[\w.*@-]{1,63}:([^\s:\"'\\]{4,200}+)(?!:)", check="real"),
    Rule("password", ("IDENTIFIED ", "identified "), SQL_PASSWORD + r"[\"'`]([^\s\"'`;]{3,200})", check="real"),
    Rule("password", ("IDENTIFIED ", "identified "), SQL_PASSWORD + r"([^\s\"'`;]{6,200})", check="chosen"),
    Rule(
        "password", ("assword ", "ASSWORD "), r"(?i:assword\s{1,4}(?:=\s{0,4})?)'([^'\n]{3,200})'", check="passphrase"
    ),
    Rule(
        "password",
        ("assword ", "ASSWORD ", "asswd "),
        r"(?i:assw(?:or)?d)\s{1,4}([^\s\"'`<>,;\\]{6,100})",
        check="chosen",
    ),
    Rule(
        "password",
        ("login ", "machine "),
        r"(?:login|machine)\s{1,8}\S{1,100}\s{1,8}(?:login\s{1,8}\S{1,100}\s{1,8})?password\s{1,8}([^\s]{3,200})",
        check="passphrase",
    ),
    # Passwords told in prose, English and Korean
    Rule(
        "password",
        ("assword", "ASSWORD", "assphrase", "asscode"),
        r"(?i:ass(?:word|phrase|code))(?:\s(?:for|of|in|to)\s[^\s:]{1,40}:|(?:\s(?:for|of|in|to)\s[^\s:]{1,40})?\s(?:is|was|to|as):?)\s{0,2}[\"'`]?([^\s\"'`<>,]{6,100})",
        check="chosen",
    ),
    Rule(
        "password",
        ("비밀번호", "비번", "패스워드", "암호", "PW는", "pw는", "PW은", "P/W", "p/w", r"\ube44\ubc00\ubc88\ud638"),
        r"(?:비밀번호|비번|패스워드|암호|[Pp]/?[Ww]|\\ube44\\ubc00\\ubc88\\ud638\\?[\"']?)(?:은|는|이|가|를|을|\\u[0-9a-f]{4})?\s{0,2}[:=(]?\s{0,2}[\"'`]?([!#-&*-;=?-Z^_a-z|~]{6,100})",
        check="chosen",
    ),
    Rule("password", ("PW ",), r"PW\s([!#-&*-;?-Z^_a-z|~]{6,60})", check="chosen"),
    Rule(
        "password",
        ("/PW", "/pw", "/Pw", "/PASS", "/Pass", "/pass", "/비", " PW ", " pw "),
        r"[/ ]\s?(?i:pw|pwd|pass|passwd|password|비번|비밀번호)[\s:=>(,/-]{1,4}[\w.@-]{1,40}\s?"
        r"[/,:(\s]{1,2}\s?([^\s\"'<>()]{6,60})",
        check="chosen",
    ),
)

RULES = TOKENS + SHAPES
