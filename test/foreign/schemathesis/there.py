"""What has to be there for a request to be served, and the request that asks for it: chance names no key, no secret and no code of the moment."""

import base64
import hashlib
import hmac
import struct

# Of the requests of an operation that are drawn to be served, every so manyth asks for what is there, the first among them.
EVERY = 4
REALM = "there"
PASSWORD = "correct horse battery staple"
PERIOD_SECONDS = 30
BYTES = "aGVsbG8"
BASE = "documents"


class There:
    """Makes things as the super admin: `ask(method, path, body)` sends JSON and answers the JSON that comes, as the session of a cookie where there is one;
    `sign_in(realm, username, password)` answers the cookie of somebody;
    `upload(path, fields, name, content)` sends a file in a form."""

    def __init__(self, ask, sign_in, upload):
        self.ask = ask
        self.upload = upload
        self.sign_in = sign_in
        self.made = 0
        self.drawn = {}

    def aim(self, case):
        """Makes what an operation needs, and has the request name it; others stay as they were drawn."""
        label = f"{case.method} {case.path.removeprefix('/v1') if '/auth/' in case.path else case.path}"
        if label not in AIMS or not (case.meta and case.meta.generation.mode.is_positive):
            return
        self.drawn[label] = self.drawn.get(label, -1) + 1
        if self.drawn[label] % EVERY == 0:
            AIMS[label](self, case)

    def name(self, kind):
        self.made += 1
        return f"{kind}-{self.made}"

    def key(self, kty="oct", alg="A256GCM"):
        return self.crypto("keys", kty=kty, alg=alg)["kid"]

    def crypto(self, operation, **body):
        return self.ask("POST", f"/v1/crypto/{operation}", body)

    def realm(self):
        self.ask("POST", "/admins/realms", {"id": REALM})
        return REALM

    def user(self):
        username = self.name("user")
        self.ask("POST", f"/realms/{self.realm()}/userpass", {"username": username, "password_input": {"plaintext": PASSWORD}})
        return username

    def reference(self):
        name = self.name("reference")
        self.upload("/add_reference", {"db": BASE, "reference": name}, "a.pdf", document())
        return name

    def departed(self):
        """Somebody who has left a key."""
        username = self.user()
        self.ask("POST", "/v1/crypto/keys", {"kty": "oct"}, cookie=self.sign_in(REALM, username, PASSWORD))
        self.ask("DELETE", f"/realms/{REALM}/userpass/{username}", None)
        return f"{REALM}/{username}"

    def secret_of_totp(self, username):
        """Base32, and the code of this moment by the server's clock (RFC 6238)."""
        secret = self.ask("POST", f"/realms/{REALM}/totp/generate", {"username": username, "issuer": "tests"})["secret_base32"]
        now = self.ask("GET", "/v1/sys/health", None)["server_time_utc"]
        key = base64.b32decode(secret + "=" * (-len(secret) % 8))
        mac = hmac.new(key, struct.pack(">Q", now // PERIOD_SECONDS), hashlib.sha1).digest()
        at = mac[-1] & 15
        return secret, f"{(struct.unpack('>I', mac[at : at + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def document():
    """A pdf file with one line. It has no table of its objects: readers make one."""
    content = b"BT /F1 12 Tf 50 700 Td (The gate closes at nine.) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, text) for number, text in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer\n<< /Root 1 0 R /Size 6 >>\n%%EOF\n"


def add_reference(there, case):
    case.body = {"db": BASE, "reference": there.name("reference"), "file": document()}


def delete_reference(there, case):
    case.body = {"db": BASE, "reference": there.reference()}


def rag_predict(there, case):
    there.reference()
    case.body = {"db": BASE, "query": "When does the gate close?"}


def translate(there, case):
    case.body = {"doc": "hello", "src_lang": "en", "tgt_lang": "EN"}


def admin(there, case):
    case.body = {"id": there.name("admin"), "realms": ["_"]}


def admin_of_realm(there, case):
    name = there.name("admin")
    there.ask("POST", "/admins", {"id": name, "realms": ["_", there.realm()]})
    case.path_parameters = {"admin_id": name, "realm_id": REALM}


def login(there, case):
    pair = f"{there.user()}:{PASSWORD}"
    case.query = {"realm": REALM}
    if isinstance(case.body, dict):
        case.body = {name: value for name, value in case.body.items() if name != "new_password"}
    case.headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"


def login_of_role(there, case):
    role = f"/auth/approle/role/{there.name('role')}"
    there.ask("POST", role, {"token_policies": ["sessions:read:*"]})
    role_id = there.ask("GET", f"{role}/role-id", None)["data"]["role_id"]
    case.body = {"role_id": role_id, "secret_id": there.ask("POST", f"{role}/secret-id", None)["data"]["secret_id"]}


def totp_generate(there, case):
    case.body = {"username": there.user(), "issuer": "tests"}
    case.path_parameters = {"realm_id": REALM}


def totp_verify(there, case):
    username = there.user()
    secret, code = there.secret_of_totp(username)
    case.body = {"username": username, "issuer": "tests", "secret": secret, "token": code}
    case.path_parameters = {"realm_id": REALM}


def grant(there, case):
    case.body = {"unique_identifier": there.key(), "user_id": f"{REALM}/{there.name('user')}", "operation_types": ["get", "encrypt"]}


def revoke(there, case):
    grant(there, case)
    there.ask("POST", "/access/grant", case.body)


def listed(there, case):
    revoke(there, case)
    case.path_parameters, case.query, case.body = {"object_id": case.body["unique_identifier"]}, {}, None


def transfer(there, case):
    case.body = {"from": there.departed(), "to": f"{there.realm()}/{there.user()}"}


def destroy(there, case):
    case.body = {"from": there.departed()}


def encrypt(there, case):
    case.body = {"kid": there.key(), "alg": "dir", "enc": "A256GCM", "data": BYTES}


def decrypt(there, case):
    encrypt(there, case)
    case.body = there.crypto("encrypt", **case.body)


def sign(there, case):
    case.body = {"kid": there.key("OKP", "EdDSA"), "alg": "EdDSA", "data": BYTES}


def verify(there, case):
    sign(there, case)
    case.body = {**there.crypto("sign", **case.body), "data": BYTES}


def mac(there, case):
    case.body = {"kid": there.key("oct", "HS256"), "alg": "HS256", "data": BYTES}


def unwrap(there, case):
    sealed = there.crypto("encrypt", kid=there.key("oct", "A256KW"), alg="A256KW", enc="A256GCM", data=BYTES)
    case.body = {name: sealed[name] for name in ("protected", "encrypted_key")}


def of_key(there, case):
    case.path_parameters = {"kid": there.key()}


AIMS = {
    "POST /admins": admin,
    "DELETE /admins/{admin_id}/realms/{realm_id}": admin_of_realm,
    "POST /login": login,
    "POST /auth/approle/login": login_of_role,
    "PUT /auth/approle/login": login_of_role,
    "POST /realms/{realm_id}/totp/generate": totp_generate,
    "POST /realms/{realm_id}/totp/verify": totp_verify,
    "POST /access/grant": grant,
    "POST /access/revoke": revoke,
    "GET /access/list/{object_id}": listed,
    "POST /access/transfer": transfer,
    "POST /access/destroy": destroy,
    "POST /add_reference": add_reference,
    "DELETE /delete_reference": delete_reference,
    "POST /rag_predict": rag_predict,
    "POST /translate": translate,
    "POST /v1/crypto/encrypt": encrypt,
    "POST /v1/crypto/decrypt": decrypt,
    "POST /v1/crypto/sign": sign,
    "POST /v1/crypto/verify": verify,
    "POST /v1/crypto/mac": mac,
    "POST /v1/crypto/keys/unwrap": unwrap,
    "POST /v1/crypto/keys/{kid}/tags": of_key,
    "GET /v1/crypto/keys/{kid}/tags": of_key,
    "DELETE /v1/crypto/keys/{kid}/tags": of_key,
    "DELETE /v1/crypto/keys/{kid}": of_key,
}
