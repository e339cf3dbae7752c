"""Labelled secrets for `graphmem bench redaction`: names of secrets × what joins them to a value × values. A third of the
names and of the containers was held out while the rules were written, by a checksum of their text."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from random import Random
from string import ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple
from urllib.parse import quote

from graphmem.bench.kept_texts import APART, KEPT, MADE

_THIRD = 3
LABELS = (
    "password,api_key,access_token,client_secret,secret_key,auth_token,webhook_secret,refresh_token,signing_key,db_password,"
    "passphrase,id_token,encryption_key,account_key,session_token,bot_token,admin_password,shared_access_key,private_token,"
    "root_passwd,deploy_key,master_key,app_secret,service_token,smtp_pass,license_key,storage_key,sas_token,user_pwd,vault_token"
).split(",")
WORDS = (
    "contraseña,clave secreta,mot de passe,clé secrète,jeton d'accès,Passwort,Kennwort,Zugangsschlüssel,senha,chave secreta,"
    "chiave segreta,wachtwoord,hasło,пароль,секретный ключ,токен доступа,пароль доступа,şifre,gizli anahtar,lösenord,heslo,"
    "jelszó,parolă,κωδικός πρόσβασης,パスワード,秘密鍵,アクセストークン,署名キー,密码,密钥,访问令牌,密碼,口令,mật khẩu,รหัสผ่าน,"
    "kata sandi,كلمة المرور,סיסמה,पासवर्ड,adgangskode,salasana,비밀 키,서명 키,인증 토큰,액세스 토큰,관리자 암호,배포 키,웹훅 시크릿"
).split(",")
# By what holds them; `$…` as in `secret_texts`, `$l` a name in any language, `$ㅎ` one in Korean.
CONTAINERS: dict[str, tuple[str, ...]] = {
    "connection": (
        "DefaultEndpointsProtocol=https;AccountName=acme;$Pascal=$v;EndpointSuffix=core.host.net",
        "Endpoint=sb://acme.host.net/;KeyName=Root;$Pascal=$v",
        "Server=db;Uid=bob;$Words=$v;Pooling=true",
    ),
    "url": (
        "https://app.host.io/callback#$name=$v&state=12",
        "GET /v1/items?page=2&$name=$v HTTP/1.1",
        "see https://host.io/a?$kebab=$v",
        "https://host.io/a?x=1&amp;$name=$v&amp;y=2",
    ),
    "encoded": (
        "body: user%3Dbob%26$name%3D$v%26x%3D1",
        "$name%3A%20$v",
        "%7B%22$camel%22%3A%22$v%22%7D",
        "q=$name%20%3D%20$v",
    ),
    "next line": ("$Words:\n$v\n", "$Words\n$v\n", "## $Words\n\n$v\n", "$Words :\n    $v\n", "$NAME:\r\n$v\r\n"),
    "table": (
        "| $words | $v |",
        "| Name | Value |\n|---|---|\n| user | bob |\n| $words | `$v` |\n",
        "│ $name │ $v │",
        "┃ $words ┃ $v ┃",
        "+------+------+\n| $name | $v |\n+------+------+",
        "$words | $v",
        "║ user ║ $words ║\n╠══════╬══════╣\n║ bob ║ $v ║\n",
        "│ user │ $name │\n├──────┼──────┤\n│ bob  │ $v │\n",
        "+------+------+\n| user | $name |\n+------+------+\n| bob  | $v |\n+------+------+",
        " user | $name \n------+------\n bob  | $v\n",
        "<tr><td>$Words</td><td>$v</td></tr>",
        "<dt>$Words</dt>\n<dd><code>$v</code></dd>",
    ),
    "aligned": (
        "user            bob\n$name        $v\n",
        "$Words ........ $v",
        "$Words\t$v\n",
        "  $NAME      $v\n  PORT    80\n",
    ),
    "marked": (
        "**$Words:** $v",
        "**$Words**: `$v`",
        "- $words — $v",
        "- `$name` - `$v`",
        "* $Words – $v",
        "$Words (prod): $v",
        "[$name] $v",
        "$Words => $v",
        "$Words ==> $v",
        "• $Words → $v",
        "_$Words_: $v",
        "$Words：$v",
    ),
    "language": (
        "$l: $v",
        "$l : $v",
        "$l：$v",
        "$l = $v",
        "**$l:** $v",
        "- $l → $v",
        "| $l | $v |",
        "$l:\n$v\n",
        "$l「$v」",
        "$l ($v)",
        '"$l": "$v"',
    ),
    "korean": (
        "$ㅎ는 $v",
        "$ㅎ는 $v 입니다.",
        "$ㅎ: $v",
        "$ㅎ 값 $v",
        "$ㅎ로 $v 를 쓰세요",
        "$ㅎ $v",
        "새 $ㅎ이 $v 로 바뀌었어요",
    ),
    "plain": (
        "$kebab $v",
        "$words $v",
        "use $words $v for now",
        "curl with $words $v\n",
        "set $name $v",
        "--$kebab $v",
        "the $words, $v, is old",
        "here is the $words ($v)",
    ),
    "code": (
        '{:$kebab "$v"}',
        ":$name => '$v'",
        "$NAME ?= $v\n",
        "$name += '$v'",
        "set(:$name, '$v')",
        '(setq $kebab "$v")',
        "with_$name('$v')",
        "$camel('$v')",
    ),
}
PLACES: dict[str, tuple[str, ...]] = {  # without a label
    "user part": (
        "git clone https://$v@github.com/acme/app.git",
        "https://$v@host.io/a.git",
        "https://$v:x-oauth-basic@github.com/a/b",
        "https://oauth2:$v@gitlab.host.io/a/b.git",
        "pip install git+https://$v@github.com/acme/app",
        "remote: origin  https://bob:$v@git.host.io/a (fetch)",
    ),
    "signature": (
        "https://b.s3.amazonaws.com/k?X-Amz-Date=20260101T000000Z&X-Amz-Signature=$h",
        "https://h.io/k?X-Amz-Security-Token=$v&a=1",
        "https://b.host.net/c?sv=2022&sig=$v&se=2026",
        "https://storage.host.com/b/o?X-Goog-Signature=$h",
        "https://h.host.net/a?Expires=1&Signature=$v&Key-Pair-Id=K1",
    ),
    "command": (
        "aws configure set aws_secret_access_key $v",
        "aws configure set aws_session_token $v --profile dev",
        "az login --service-principal -u http://app -p $v --tenant acme",
        "docker login -u bob -p $v reg.host.io",
        "docker login -p$v -u bob",
        "mysql -uroot -p$v shop",
        "mysqldump -h db -u root -p'$v' shop > a.sql",
        "mysql --password=$v shop",
        "sshpass -p $v ssh bob@host",
        "sshpass -p'$v' ssh bob@host",
        "SSHPASS=$v sshpass -e ssh bob@host",
        "curl -u bob:$v https://api.host.io",
        "curl -ubob:$v https://api.host.io",
        "curl --user 'bob:$v' https://api.host.io",
        "wget --user bob --password $v https://h.io/a",
        "wget --http-password=$v https://h.io/a",
        "gh auth login --with-token <<< $v",
        'gh auth login --with-token <<< "$v"',
        "gh auth login --with-token <<EOF\n$v\nEOF",
        "echo $v | gh auth login --with-token",
        "gh secret set DEPLOY --body $v",
        "vault login $v",
        "vault login token=$v",
        "vault kv put secret/app password=$v",
        "vault login -method=userpass username=bob password=$v",
        "npm config set //registry.host.io/:_authToken $v",
        "npm config set //registry.host.io/:_authToken=$v",
        "yarn config set npmAuthToken $v",
        "redis-cli -a $v ping",
        "redis-cli -h db --pass $v",
        "redis-cli AUTH $v",
        'psql "host=db user=bob password=$v"',
        "PGPASSWORD=$v psql -h db",
        "psql postgresql://bob:$v@db/shop",
        "openssl rsa -in a.pem -passin pass:$v",
        "openssl pkcs12 -export -passout pass:$v -in a",
        "openssl enc -aes-256-cbc -pass 'pass:$v'",
        "keytool -import -storepass $v -keystore a.jks",
        "keytool -genkey -keypass $v -alias x",
        "jarsigner -storepass $v a.jar k",
        "kubectl create secret generic db --from-literal=k=$v",
        "kubectl create secret generic db --from-literal k=$v",
        "kubectl create secret docker-registry r --docker-password=$v",
        "kubectl config set-credentials bob --token=$v",
        "helm install a b --set auth.password=$v",
        "helm repo add r https://h.io --username bob --password $v",
        "ansible-playbook a.yml -e ansible_become_pass=$v",
        "ansible-playbook a.yml --extra-vars 'db_password=$v'",
        "terraform apply -var db_password=$v",
        "terraform apply -var='db_password=$v'",
        "heroku config:set API_KEY=$v",
        "flyctl secrets set API_KEY=$v",
        "fly auth login --access-token $v",
        "doppler configure set token $v",
        "gcloud secrets versions add a --data-file=- <<< '$v'",
        "printf '%s' '$v' | docker secret create db -",
        "echo -n $v | gcloud secrets create a --data-file=-",
        "git config --global github.token $v",
        'git config http.extraHeader "Authorization: Bearer $v"',
        "git -c http.extraheader='PRIVATE-TOKEN: $v' fetch",
        "composer config github-oauth.github.com $v",
        "composer config http-basic.repo.host.io bob $v",
        "bundle config gems.host.io bob:$v",
        "pip config set global.index-url https://bob:$v@pypi.host.io/simple",
        "poetry config pypi-token.pypi $v",
        "poetry config http-basic.acme bob $v",
        "cargo login $v",
        "twine upload -u __token__ -p $v dist/*",
        "dotnet nuget push a.nupkg -k $v -s https://h.io",
        "nuget push a.nupkg $v -Source https://h.io",
        "nuget setapikey $v",
        "dotnet user-secrets set Key $v",
        "sf org login -p $v",
        "oc login https://c.host.io --token=$v",
        "oc login -u bob -p $v",
        "ldapsearch -D cn=admin -w $v -b dc=x",
        "kinit bob <<< $v",
        "useradd -p $v bob",
        "echo 'bob:$v' | chpasswd",
        "net user bob $v /add",
        "sqlcmd -S db -U sa -P $v",
        "sqlplus bob/$v@orcl",
        "mongosh -u bob -p $v",
        "mongo mongodb://bob:$v@db/x",
        "cqlsh -u bob -p $v db",
        "clickhouse-client --user bob --password $v",
        "influx config create --token $v -n a",
        "rclone config create a s3 secret_access_key $v",
        "mc alias set a https://h.io bob $v",
        "s3cmd --secret_key=$v ls",
        "restic -r a --password-command 'echo $v' snapshots",
        "gpg --batch --passphrase $v -d a.gpg",
        "zip -P $v a.zip b",
        "zip -e --password $v a.zip b",
        "7z x a.7z -p$v",
        "unrar x -p$v a.rar",
        "ssh-keygen -t ed25519 -N $v -f k",
        "smbclient //s/d -U bob%$v",
        "lftp -u bob,$v ftp.h.io",
        "ftp -n <<E\nuser bob $v\nE",
        "nmcli dev wifi connect home password $v",
        "wpa_passphrase home $v",
        "iwconfig wlan0 key s:$v",
        "ngrok config add-authtoken $v",
        "cloudflared service install $v",
        "tailscale up --authkey $v",
        "sentry-cli login --auth-token $v",
        "sentry-cli --auth-token $v releases list",
        "sonar-scanner -Dsonar.login=$v",
        "mvn deploy -Dpassword=$v",
        "java -Djavax.net.ssl.keyStorePassword=$v -jar a.jar",
        "gradle publish -PossrhPassword=$v",
        "stripe listen --api-key $v",
        "vercel --token $v --prod",
        "vercel -t $v --prod",
        "netlify deploy --auth $v",
        "railway login --token $v",
        "firebase deploy --token $v",
        "wrangler secret put KEY <<< $v",
        "surge --token $v",
        "huggingface-cli login --token $v",
        "wandb login $v",
        "databricks configure --token <<< $v",
        "snowsql -a x -u bob -p $v",
        "bq --oauth_access_token=$v ls",
        "ibmcloud login --apikey $v",
        "doctl auth init -t $v",
        "linode-cli --token $v",
        "hcloud context create a <<< $v",
        "argocd login h.io --username a --password $v",
        "skopeo copy --src-creds bob:$v docker://a docker://b",
        "skopeo login -p $v -u bob h.io",
        "crane auth login h.io -u bob -p $v",
        "http -a bob:$v GET h.io/a",
        "http GET h.io/a 'X-Api-Key:$v'",
        "http GET h.io/a Authorization:'Bearer $v'",
        "xh -A bearer -a $v h.io",
        "aria2c --http-passwd=$v https://h.io/a",
        "nats --user bob --password $v sub a",
        "mosquitto_pub -u bob -P $v -t a -m b",
        "rabbitmqctl add_user bob $v",
        "rabbitmqctl change_password bob $v",
        "etcdctl --user bob:$v get a",
        "consul kv get -token=$v a",
        "nomad job run -token $v a.hcl",
        "ldappasswd -s $v uid=bob",
        "winexe -U bob%$v //h cmd",
        "runas /user:bob /password:$v",
        "schtasks /create /ru bob /rp $v",
        "psexec \\\\h -u bob -p $v cmd",
        "xfreerdp /u:bob /p:$v /v:h",
        "vncpasswd -f <<< $v",
        "x11vnc -passwd $v",
        "ipmitool -U bob -P $v chassis status",
        "snmpwalk -v3 -u bob -A $v -X $v h",
        "snmpget -v2c -c $v h a",
        "expect -c 'send \"$v\\r\"'",
        "su - bob <<< $v",
        "echo $v | sudo -S ls",
        "sudo -S ls <<< $v",
        "export AWS_SECRET_ACCESS_KEY=$v",
        "setx API_KEY $v",
        "$env:API_KEY = '$v'",
        "[Environment]::SetEnvironmentVariable('API_KEY', '$v')",
        "set -x API_KEY $v",
        "setenv API_KEY $v",
        'cmd /c "set API_KEY=$v"',
        "docker run -e API_KEY=$v a",
        "docker build --build-arg API_KEY=$v .",
        "docker build --secret id=k,env=$v .",
        "cmdkey /add:h /user:bob /pass:$v",
        "git remote add o https://bob:$v@h.io/a.git",
        "bw unlock $v",
        "bw login bob@h.io $v",
        "op signin --raw <<< $v",
        "pass insert -e a <<< $v",
        "security add-generic-password -a a -s b -w $v",
        "plink -pw $v bob@h",
        "pscp -pw $v a bob@h:",
        "winscp.com /command 'open sftp://bob:$v@h/'",
        "pg_dump -d 'postgres://bob:$v@db/x'",
        "liquibase --password=$v update",
        "flyway -password=$v migrate",
        "kafka-configs.sh --add-config 'SCRAM-SHA-256=[password=$v]'",
        "htpasswd -b .htpasswd bob $v",
        "svn co --username bob --password $v https://h.io/r",
        "hg --config auth.x.password=$v pull",
        "cvs -d :pserver:bob:$v@h:/r co a",
        "p4 -P $v sync",
        "jf c add --user bob --password $v",
        "jfrog rt config --apikey=$v",
        "mitmproxy --proxyauth bob:$v",
        "curl --proxy-user bob:$v https://h.io",
        "curl -x http://bob:$v@p.h.io https://h.io",
        "curl --oauth2-bearer $v https://h.io",
        "curl -b 'session=$v' https://h.io",
        "curl -d 'user=bob&password=$v' https://h.io",
        "curl -F token=$v https://h.io",
        "curl --data-urlencode 'api_key=$v' https://h.io",
        "curl --pass $v --cert a.pem https://h.io",
    ),
}


OUTPUT = (  # of commands, where a plain word is a value, too
    "PATH=/bin\n$NAME=$v\nHOME=/root\n",
    "2026-01-01 INFO connecting with $name=$v to db\n",
    "2026-01-01 INFO db $name: $v\n",
    "| $name | $v |\n",
    "{'user': 'bob', '$name': '$v', 'port': 1}\n",
    '            "Env": [\n                "$NAME=$v",\n                "PATH=/bin"\n',
    "Environment:\n      $NAME:  $v\n      PORT:   80\n",
    "$name   = '$v'\nuser       = 'bob'\n",
    "protocol=https\nhost=h.io\nusername=bob\n$name=$v\n",
    "root  1  0 /usr/bin/app --$kebab=$v --port 80\n",
    "+ export $NAME=$v\n",
    "$name           $v\n",
    "Your $words is: $v\n",
    "def f(self):\n    return 1\n$NAME=$v\n",
    'changed: [host] => {"$name": "$v"}\n',
)
WEAK = ("sunshine", "letmein2", "Q7xk2", "blue-harbour", "open.sesame", "abc123", "p@ss")


class Labelled(NamedTuple):
    """A text with the places of its secret; `held` if its label or its container is held out."""

    text: str
    secret: str
    container: str
    held: bool


def held_out(text: str) -> bool:
    """Return whether a label or a container belongs to the third that is held out."""
    return zlib.crc32(text.encode()) % _THIRD == 0


def made_values(random: Random) -> Iterator[str]:
    """Yield one value of each kind: letters and digits, hexadecimal, Base64, with signs, short."""
    letters = ascii_lowercase + ascii_uppercase + digits

    def run(characters: str, size: int) -> str:
        return "".join(random.choice(characters) for _ in range(size))

    yield run(letters, random.randint(20, 40)) + random.choice(digits)
    yield run("0123456789abcdef", random.choice((32, 40, 64)))
    yield base64.b64encode(random.randbytes(random.choice((24, 32)))).decode().rstrip("=")
    yield (
        random.choice(ascii_uppercase)
        + run(ascii_lowercase, 4)
        + random.choice("!#*^+")
        + run(digits, 3)
        + run(letters, 3)
    )
    yield random.choice(ascii_lowercase) + run(letters, 8) + run(digits, 2)


def labelled(count: int, random: Random) -> Iterator[Labelled]:
    """Yield texts: for each container and each kind of value `count` labels."""
    for container, templates in (*CONTAINERS.items(), *APART.items(), *PLACES.items(), *KEPT.items()):
        for template in templates:
            for _ in range(count):
                for value in made_values(random):
                    yield _filled(container, template, value, random)


def outputs(random: Random) -> Iterator[Labelled]:
    """Yield output of programs with weak values, of each kind one for each value."""
    for template in OUTPUT:
        for value in WEAK:
            yield _filled("output", template, value, random)


def _filled(container: str, template: str, value: str, random: Random) -> Labelled:
    if "$h" in template:
        value, template = random.randbytes(32).hex(), template.replace("$h", "$v")
    for sign, make in MADE.items():
        if sign in template:
            value, template = make(random), template.replace(sign, "$v")
    if "$v@" in template or "$v:" in template:
        value = quote(value, safe="!*")
    korean = [word for word in WORDS if "가" <= word[-1] <= "힣"]
    label = random.choice(korean if "$ㅎ" in template else WORDS if "$l" in template else LABELS)
    if container in PLACES or container in KEPT:
        label = ""
    parts = label.split("_")
    text = template
    for sign, name in (
        ("$Pascal", "".join(map(str.capitalize, parts))),
        ("$Words", " ".join(parts).capitalize()),
        ("$words", " ".join(parts)),
        ("$NAME", label.upper()),
        ("$name", label),
        ("$camel", parts[0] + "".join(map(str.capitalize, parts[1:]))),
        ("$kebab", "-".join(parts)),
        ("$ㅎ", label),
        ("$l", label),
    ):
        text = text.replace(sign, name)
    return Labelled(
        text.replace("$v", value), value, container, held_out(template) or (label != "" and held_out(label))
    )
