use bstr::BString;

use super::{redact, redact_text};

/// Words are separated by `·`; `█` stands for what was taken out.
const HIDDEN: &[(&str, &str)] = &[
    // Options and assignments by name.
    ("tool·--password=hunter2", "tool·--password=█"),
    ("tool·--password·hunter2", "tool·--password·█"),
    ("tool·--passwd=a b c", "tool·--passwd=█"),
    ("tool·--token·x·build", "tool·--token·█·build"),
    ("tool·-token·x", "tool·-token·█"),
    ("tool·--api-key=k1", "tool·--api-key=█"),
    ("tool·--apiKey·k1", "tool·--apiKey·█"),
    ("tool·--client-secret·s", "tool·--client-secret·█"),
    ("tool·--auth·bob:pw", "tool·--auth·█"),
    ("tool·--secret-access-key·s", "tool·--secret-access-key·█"),
    ("tool·--private-key=MIIEvQ", "tool·--private-key=█"),
    ("tool·--credentials=abc", "tool·--credentials=█"),
    ("env·FOO_TOKEN=x·make", "env·FOO_TOKEN=█·make"),
    ("env·PASSWORD2=x·DB_PASS=y·MYSQL_PWD=z", "env·PASSWORD2=█·DB_PASS=█·MYSQL_PWD=█"),
    ("env·SECRET_KEY_BASE=abc·PGPASSWORD=d", "env·SECRET_KEY_BASE=█·PGPASSWORD=█"),
    (
        "docker·run·-e·NPM_TOKEN=x·--build-arg=API_KEY=y",
        "docker·run·-e·NPM_TOKEN=█·--build-arg=API_KEY=█",
    ),
    ("docker·run·-eFOO_TOKEN=x", "docker·run·-eFOO_TOKEN=█"),
    ("java·-Ddb.password=x·-PsigningPassword=y", "java·-Ddb.password=█·-PsigningPassword=█"),
    (
        "helm·install·--set·image=1,db.password=x,tag=2",
        "helm·install·--set·image=1,db.password=█,tag=2",
    ),
    (
        "kubectl·create·secret·generic·s·--from-literal=password=x",
        "kubectl·create·secret·generic·s·--from-literal=password=█",
    ),
    (
        "aws·configure·set·aws_secret_access_key·wJalr/K7",
        "aws·configure·set·aws_secret_access_key·█",
    ),
    (
        "npm·config·set·//registry.example/:_authToken·x",
        "npm·config·set·//registry.example/:_authToken·█",
    ),
    (
        "npm·publish·--//registry.example/:_authToken=x",
        "npm·publish·--//registry.example/:_authToken=█",
    ),
    ("git·config·--global·github.token·x", "git·config·--global·github.token·█"),
    ("psql·host=db user=u password=p w", "psql·host=db user=u password=█ w"),
    ("gradle·-PapiKey=S·build", "gradle·-PapiKey=█·build"),
    ("mvn·-DaccessKey=S·-DDB_PWD=S", "mvn·-DaccessKey=█·-DDB_PWD=█"),
    ("tool·--accessToken·S·--pwd·S·-pwd·S", "tool·--accessToken·█·--pwd·█·-pwd·█"),
    ("tool·--pwd=S·--cookie·S", "tool·--pwd=█·--cookie·█"),
    // Headers.
    ("wget·--header=Cookie: sid=S; b=S", "wget·--header=Cookie: █"),
    ("curl·--header=X-Api-Key:S", "curl·--header=X-Api-Key: █"),
    ("curl·-HCookie: sid=S", "curl·-HCookie: █"),
    ("http·h·Cookie: sid=S·Authorization:Basic eA==", "http·h·Cookie: █·Authorization: Basic █"),
    ("wget·--header=Authorization: Basic eA==", "wget·--header=Authorization: Basic █"),
    ("sh·-c·wget --header 'Cookie: a=S; b=S' h", "sh·-c·wget --header 'Cookie: █' h"),
    ("curl·-H·Authorization: Bearer x", "curl·-H·Authorization: Bearer █"),
    ("curl·-HAuthorization: Basic eA==", "curl·-HAuthorization: Basic █"),
    ("curl·--header=authorization: token x y", "curl·--header=authorization: token █"),
    ("curl·--header·X-Api-Key:k", "curl·--header·X-Api-Key: █"),
    ("curl·-H·PRIVATE-TOKEN: t·-H·Cookie: sid=1", "curl·-H·PRIVATE-TOKEN: █·-H·Cookie: █"),
    (
        "git·-c·http.extraHeader=AUTHORIZATION: basic eA==·fetch",
        "git·-c·http.extraHeader=AUTHORIZATION: basic █·fetch",
    ),
    // Programs.
    ("curl·-u·bob:pw·https://h/", "curl·-u·bob:█·https://h/"),
    ("curl·-sSu·bob:pw·x", "curl·-sSu·bob:█·x"),
    ("/usr/bin/curl·-ubob:p:w", "/usr/bin/curl·-ubob:█"),
    ("curl·--user=bob:pw·--proxy-user·a:b", "curl·--user=bob:█·--proxy-user·a:█"),
    ("curl·-b·sid=42", "curl·-b·sid=█"),
    ("mysql·-uroot·-phunter2·db", "mysql·-uroot·-p█·db"),
    ("sudo·mysqldump·-psecret", "sudo·mysqldump·-p█"),
    ("sshpass·-p·pw·ssh·-p·22·host", "sshpass·-p·█·ssh·-p·22·host"),
    ("docker·login·-u·bob·-p·pw·reg.io", "docker·login·-u·bob·-p·█·reg.io"),
    ("redis-cli·-a·pw·ping", "redis-cli·-a·█·ping"),
    ("ldapsearch·-x·-w·pw", "ldapsearch·-x·-w·█"),
    ("openssl·rsa·-passin·pass:pw", "openssl·rsa·-passin·pass:█"),
    ("7z·a·-ppw·x.7z", "7z·a·-p█·x.7z"),
    ("smbclient·-U·bob%pw·//h/s", "smbclient·-U·bob%█·//h/s"),
    ("gh·secret·set·DEPLOY_TOKEN·--body·v", "gh·secret·set·DEPLOY_TOKEN·--body·█"),
    ("tool·--user·a:S·--user=a:S", "tool·--user·a:█·--user=a:█"),
    // Addresses.
    ("git·clone·https://TOKEN@h.io/r.git", "git·clone·https://█@h.io/r.git"),
    ("git·push·https://TOKEN:x-oauth-basic@h/r", "git·push·https://█:█@h/r"),
    ("git·clone·https://bob:pw@h.io/r.git", "git·clone·https://bob:█@h.io/r.git"),
    ("psql·postgres://u:p@ss@h:5432/db", "psql·postgres://u:█@h:5432/db"),
    ("psql·postgres://u:p/s#s@h/db", "psql·postgres://u:█@h/db"),
    ("redis·redis://:pw@h:6379", "redis·redis://:█@h:6379"),
    ("git·clone·https://0123456789abcdef0123@h/r", "git·clone·https://█@h/r"),
    ("curl·https://h/p?a=1&access_token=x&b=2", "curl·https://h/p?a=1&access_token=█&b=2"),
    ("curl·https://s3/o?X-Amz-Signature=ab12&x=1", "curl·https://s3/o?X-Amz-Signature=█&x=1"),
    // Shapes.
    ("echo·AKIAIOSFODNN7EXAMPLE", "echo·█"),
    ("echo·a:ghp_0123456789abcdefABCDEF0123456789abcd,b", "echo·a:█,b"),
    ("echo·gho_0123456789abcdefABCDEF01", "echo·█"),
    ("echo·github_pat_11ABCDEFG0123456789_abcdef", "echo·█"),
    ("echo·glpat-0123456789abcdefABCD", "echo·█"),
    ("echo·sk-ant-api03-0123456789abcdefABCD", "echo·█"),
    ("echo·xoxb-1234567890-abcdef", "echo·█"),
    ("echo·eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "echo·█"),
    (
        "echo·-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter",
        "echo·█\nafter",
    ),
    ("echo·K=-----BEGIN PRIVATE KEY-----\nMIIE", "echo·K=█"),
    (
        "curl·-d·{\"user\":\"u\",\"password\":\"p\\\"w\"}",
        "curl·-d·{\"user\":\"u\",\"password\":\"█\"}",
    ),
    ("curl·-d·{ \"apiKey\" : \"k\", \"n\": 1 }", "curl·-d·{ \"apiKey\" : \"█\", \"n\": 1 }"),
    // Text.
    (
        "sh·-c·FOO_TOKEN='a b' make && curl -u \"bob:pw\" h",
        "sh·-c·FOO_TOKEN=█ make && curl -u \"bob:█\" h",
    ),
    ("bash·-lc·mysql -psecret -e 'select 1' | head", "bash·-lc·mysql -p█ -e 'select 1' | head"),
    ("ssh·h·sh -c \"tool --token 'x' run\"", "ssh·h·sh -c \"tool --token '█' run\""),
    ("sh·-c·curl -H 'Authorization: Bearer x' h", "sh·-c·curl -H 'Authorization: Bearer █' h"),
    ("sh·-c·echo Authorization: Bearer x", "sh·-c·echo Authorization: Bearer █"),
    ("sh·-c·cat <<E\nAPI_KEY=x\nE\n", "sh·-c·cat <<E\nAPI_KEY=█\nE\n"),
];

const UNTOUCHED: &[&str] = &[
    "",
    "git·commit·-m·fix token parsing",
    "git·commit·-m·auth: don't keep the password; \"secret\" stays",
    "git·commit·-m·api: say 'no' to tokens (see #12) & go on",
    "docker·run·-p·8080:80·mysql",
    "docker·login·--password-stdin·reg.io",
    "tool·--token-file·/run/secrets/t",
    "tool·--password-file=pw.txt·--auth-type·legacy·--secret-name·s",
    "gh·auth·login·--with-token",
    "tool·--no-auth·dir·--no-password·x",
    "mysql·-p·-u·root",
    "mysql·--port=3306·-P·3306",
    "curl·-u·bob·https://h:8080/@scope/pkg",
    "curl·-H·Accept: text/html·-b·cookies.txt",
    "ssh·-p·22·git@github.com",
    "git·clone·https://git@github.com/o/r.git",
    "docker·run·--user·node:node·--user=1000:1000·img",
    "tool·--user·1000:1000·--user·bob·--pwd·/srv·PWD=/srv",
    "git·commit·-m·cookie: fix the parser",
    "git·clone·ssh://git@github.com/o/r.git",
    "git·clone·git@github.com:o/r.git",
    "git·-c·credential.helper=store·pull",
    "env·SSH_AUTH_SOCK=/tmp/a·PWD=/home/u·OLDPWD=/·GIT_ASKPASS=/bin/x·PATH=/bin:/usr/bin",
    "env·GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp.json·AWS_ACCESS_KEY_ID=short",
    "ansible·--private-key·~/.ssh/id_ed25519",
    "llm·--max-tokens·4096·max_tokens=5·--tokenizer·x·TOKENIZERS_PARALLELISM=false",
    "ffmpeg·-pass·1·-i·a.mp4",
    "mongod·--auth·--port·27017",
    "tool·--auth=none·--token=·--use-token=true",
    "rm·-rf·./passwords/token·src/secret.rs",
    "cat·/etc/passwd·~/.password-store",
    "rg·-e·token·--glob·*.rs",
    "grep·-r·password=·src",
    "git·checkout·sk-fix-the-navigation-bar-layout",
    "git·log·--author·auth·--grep=token",
    "cargo·test·task-0123456789-0123456789-0123",
    "echo·-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
    "echo·a  b\t'c d'\\ e \"f\\\"g\" `h` $(i) ${J} > k 2>&1",
    "sh·-c·for f in *.txt; do wc -l \"$f\" | sort -k2 -t= ; done",
    "cp·-r·--preserve=mode·a·b",
    "printf·it's 5 o'clock\\n",
];

fn of(line: &str) -> Vec<BString> {
    line.split('·').map(BString::from).collect()
}

#[test]
fn secrets_are_taken_out() {
    for (line, shown) in HIDDEN {
        let shown = shown.replace('█', super::REDACTED);
        assert_eq!(redact(&of(line)).join("·"), shown, "of {line:?}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    for line in UNTOUCHED {
        assert_eq!(redact(&of(line)).join("·"), *line);
    }
}

#[test]
fn what_was_redacted_stays_as_it_is() {
    for (line, _) in HIDDEN {
        let once = redact(&of(line));
        let again: Vec<_> = once.iter().map(|word| BString::from(word.as_str())).collect();
        assert_eq!(redact(&again), once, "of {line:?}");
    }
}

#[test]
fn text_is_read_as_a_shell_would() {
    let hidden = super::REDACTED;
    let rows = [
        (
            "FOO_TOKEN=x make; curl -u a:b h",
            format!("FOO_TOKEN={hidden} make; curl -u a:{hidden} h"),
        ),
        (
            "git push https://a:b@h/r 2>&1 | tail",
            format!("git push https://a:{hidden}@h/r 2>&1 | tail"),
        ),
        ("tool --token \"$(cat t)\" x", format!("tool --token \"{hidden}\" x")),
        ("tool --password 'unclosed", format!("tool --password {hidden}")),
        ("echo 'fix token parsing' && make", "echo 'fix token parsing' && make".to_owned()),
        ("", String::new()),
    ];
    for (text, shown) in rows {
        assert_eq!(redact_text(text), shown, "of {text:?}");
    }
}

/// Neither panics nor takes long, whatever it is given.
#[test]
fn anything_may_be_given() {
    let parts = [
        "'",
        "\"",
        "\\",
        "=",
        ":",
        "://",
        "@",
        " ",
        "\n",
        "-",
        "-u",
        "curl",
        "token",
        "eyJ",
        "{\"password\":\"",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "ü",
        "‹",
        "(",
        ";",
        "sk-1",
        "--token",
    ];
    let mut seed = 7_u64;
    let mut pick = |count: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or_default() % count
    };
    for _ in 0..20_000 {
        let length = pick(12);
        let text: String = (0..length).map(|_| parts[pick(parts.len())]).collect();
        redact(&[BString::from("sh"), BString::from(text.as_str())]);
        redact_text(&text);
    }
    let started = std::time::Instant::now();
    for part in parts {
        redact(&vec![BString::from(part); 10_000]);
        redact_text(&part.repeat(10_000));
    }
    assert!(started.elapsed().as_secs() < 60, "quadratic: {:?}", started.elapsed());
}
