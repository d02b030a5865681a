"""Who schemathesis is: a super admin whose session is a new one whenever an operation has ended it, and whom no operation can name."""

import os
import sys
import threading

import requests
import schemathesis

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from there import There  # noqa: E402

ADDRESS = os.environ["GATEHOUSE_URL"]
AUTHORITY = os.environ["GATEHOUSE_CA"]
# The record of the super admin, and the role that app tokens come from: nothing but these must stay for the run to go on.
OWN = os.environ["GATEHOUSE_OWN"]


class SuperAdmin:
    """Signs in with a client certificate, which no other request shows."""

    def __init__(self):
        self.lock = threading.Lock()
        self.cookie = None
        self.token = None
        self.session = requests.Session()
        # No other authority of this machine.
        self.session.trust_env = False
        self.session.verify = AUTHORITY
        self.session.cert = os.environ["GATEHOUSE_CERT"]

    def ask(self, method, path, **options):
        self.session.cookies.clear()
        answer = self.session.request(method, ADDRESS + path, **options)
        answer.raise_for_status()
        return answer

    def sign_in(self):
        with self.lock:
            if self.cookie is None:
                self.cookie = self.ask("POST", "/login?realm=_").cookies["_ea_"]
            return self.cookie

    def app_token(self):
        cookie = {"cookie": f"_ea_={self.sign_in()}"}
        with self.lock:
            if self.token is None:
                role = f"/auth/approle/role/{OWN}"
                self.ask("POST", role, json={"token_policies": ["sessions:read:*"]}, headers=cookie)
                role_id = self.ask("GET", f"{role}/role-id", headers=cookie).json()["data"]["role_id"]
                secret_id = self.ask("POST", f"{role}/secret-id", headers=cookie).json()["data"]["secret_id"]
                login = self.ask("POST", "/auth/approle/login", json={"role_id": role_id, "secret_id": secret_id})
                self.token = login.json()["auth"]["client_token"]
            return self.token

    def ended(self):
        self.cookie = None
        self.token = None


admin = SuperAdmin()


def ask(method, path, body, cookie=None):
    """For what has to be there: a thing that is there already is as good."""
    admin.session.cookies.clear()
    answer = admin.session.request(method, ADDRESS + path, json=body, headers={"cookie": f"_ea_={cookie or admin.sign_in()}"})
    if answer.status_code != 409:
        answer.raise_for_status()
    return answer.json() if answer.content else None


def upload(path, fields, name, content):
    """A form with a file."""
    admin.session.cookies.clear()
    headers = {"cookie": f"_ea_={admin.sign_in()}"}
    admin.session.post(ADDRESS + path, data=fields, files={"file": (name, content)}, headers=headers).raise_for_status()


def sign_in(realm, username, password):
    """Without the certificate of the super admin."""
    session = requests.Session()
    session.trust_env = False
    answer = session.post(f"{ADDRESS}/login", params={"realm": realm}, auth=(username, password), verify=AUTHORITY)
    answer.raise_for_status()
    return answer.cookies["_ea_"]


there = There(ask, sign_in, upload)


def is_of_tokens(operation):
    return operation.path.removeprefix("/v1").startswith("/auth/token/")


class Credentials:
    def get(self, case, context):
        return admin.app_token() if is_of_tokens(context.operation) else admin.sign_in()

    def set(self, case, data, context):
        case.headers = case.headers or {}
        if is_of_tokens(context.operation):
            case.headers["X-Vault-Token" if context.operation.path.startswith("/v1/") else "X-App-Token"] = data
        else:
            case.cookies = {**(case.cookies or {}), "_ea_": data}


if os.environ["GATEHOUSE_WHO"] == "admin":
    schemathesis.auth(refresh_interval=None)(Credentials)


def is_slow(body):
    return isinstance(body, dict) and body.get("kty") == "RSA" and isinstance(body.get("bits"), int) and 2048 < body["bits"] <= 8192


def names_token(case):
    token = case.body.get("token") if isinstance(case.body, dict) else None
    return is_of_tokens(case.operation) and isinstance(token, str) and len(token) <= 1024


@schemathesis.hook
def map_case(context, case):
    # Generating a long RSA key takes ten seconds, which says nothing of the description.
    if case.path == "/v1/crypto/keys" and is_slow(case.body):
        case.body = {**case.body, "bits": 2048}
    return case


@schemathesis.hook
def before_call(context, case, kwargs):
    # What the run itself stands on stays: another admin, and another role, are as good for the operations that end them.
    for name in ("admin_id", "name"):
        if (case.path_parameters or {}).get(name) == OWN:
            case.path_parameters[name] = "another"
    # Nobody guesses a token: of those that could be one, every second is.
    if os.environ["GATEHOUSE_WHO"] == "admin" and names_token(case) and len(case.body["token"]) % 2 == 0:
        case.body = {**case.body, "token": admin.app_token()}
    if os.environ["GATEHOUSE_WHO"] == "admin":
        there.aim(case)


@schemathesis.hook
def after_call(context, case, response):
    # What changes people, realms or sessions may have ended the session; asking for another costs little.
    is_lost = response.status_code == 401 or (response.status_code == 403 and case.path.endswith("-self"))
    if is_lost or (case.method != "GET" and response.status_code < 300):
        admin.ended()
