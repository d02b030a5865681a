# Signs in with hvac and does with tokens what a machine does: `tour.py FACTS`, a line for each step.
import hvac
from hvac import exceptions
from steps import FACTS, expect, step, take_steps

ENVELOPE = {"request_id", "lease_id", "renewable", "lease_duration", "data", "auth", "wrap_info", "warnings"}


def refused(kind, said, call, *arguments, **options):
    """The call is refused with this exception, and these words."""
    try:
        answer = call(*arguments, **options)
    except kind as error:
        expect(error.errors, [said])
        return
    raise AssertionError(f"{answer!r} in place of {kind.__name__}")


def new_client(**options):
    return hvac.Client(url=FACTS["address"], verify=FACTS["ca"], **{"token": "", **options})


def signed_in(role="open_role_id"):
    client = new_client()
    client.auth.approle.login(FACTS[role])
    return client


def administrator():
    """Roles are for a session; LIST is sent as GET, which this option is for."""
    client = new_client(strict_http=True)
    client.session.cookies.set("_ea_", FACTS["admin_session"])
    return client


TOKEN_DENIED = "the app token is missing, invalid, expired or revoked"


@step
def health_and_seal():
    client = new_client()
    expect(client.sys.read_health_status().status_code, 200)
    health = client.sys.read_health_status(method="GET", sealed_code=299)
    expect((health["initialized"], health["sealed"], health["standby"]), (True, False, False))
    expect(client.sys.is_sealed(), False)
    expect(client.sys.is_initialized(), True)
    expect(client.seal_status["initialized"], True)


@step
def approle():
    client = new_client()
    expect(client.is_authenticated(), False)
    answer = client.auth.approle.login(FACTS["role_id"], FACTS["secret_id"])
    expect(set(answer), ENVELOPE)
    expect(answer["auth"]["policies"], ["p", "q"])
    expect(answer["auth"]["metadata"], {"role_name": "bound"})
    expect((answer["auth"]["lease_duration"], answer["auth"]["renewable"]), (600, True))
    expect(client.is_authenticated(), True)


@step
def approle_without_secret_id():
    client = new_client()
    client.auth.approle.login(FACTS["open_role_id"])
    expect(client.is_authenticated(), True)


@step
def approle_refused():
    said = "the role id or the secret id is not valid"
    login = new_client().auth.approle.login
    refused(exceptions.InvalidRequest, said, login, FACTS["role_id"], "wrong")
    refused(exceptions.InvalidRequest, said, login, FACTS["role_id"])
    refused(exceptions.InvalidRequest, said, login, "none", FACTS["secret_id"])
    login(FACTS["role_id"], FACTS["single_secret_id"])
    refused(exceptions.Forbidden, "the secret id is used up", login, FACTS["role_id"], FACTS["single_secret_id"])


@step
def kubernetes():
    for mount in ("kubernetes", "cluster"):
        client = new_client()
        answer = client.auth.kubernetes.login(FACTS["cluster_role"], FACTS["jwt"], mount_point=mount)
        expect(answer["auth"]["metadata"]["service_account_name"], "app")
        expect(client.auth.token.lookup_self()["data"]["entity_id"], "prod/app")


@step
def kubernetes_refused():
    said = "the role or its JWT is not valid"
    login = new_client().auth.kubernetes.login
    refused(exceptions.InvalidRequest, said, login, FACTS["cluster_role"], "not.a.jwt")
    refused(exceptions.InvalidRequest, said, login, "none", FACTS["jwt"])


@step
def token_itself():
    client = signed_in()
    token = client.token
    looked = client.auth.token.lookup_self()["data"]
    expect((looked["id"], looked["type"], looked["path"]), (token, "service", "auth/approle/login"))
    renewed = client.auth.token.renew_self(increment="1h")["auth"]
    expect((renewed["client_token"], renewed["lease_duration"]), (token, 600))
    expect(client.auth.token.revoke_self().status_code, 204)
    expect(client.is_authenticated(), False)
    refused(exceptions.Forbidden, TOKEN_DENIED, client.auth.token.lookup_self)


@step
def another_token():
    client, other = signed_in(), signed_in().token
    expect(client.auth.token.lookup(other)["data"]["id"], other)
    expect(client.lookup_token(other)["data"]["id"], other)
    expect(client.auth.token.renew(other, increment=60)["auth"]["client_token"], other)
    expect(client.auth.token.revoke(other).status_code, 204)
    refused(exceptions.Forbidden, TOKEN_DENIED, client.auth.token.lookup, other)
    refused(exceptions.Forbidden, TOKEN_DENIED, client.auth.token.revoke, other)
    refused(exceptions.Forbidden, TOKEN_DENIED, new_client().auth.token.lookup, client.token)
    expect(client.is_authenticated(), True)


@step
def sign_out():
    client = signed_in()
    token = client.token
    client.logout(revoke_token=True)
    expect(new_client(token=token).is_authenticated(), False)


@step
def not_renewable():
    client = signed_in("fixed_role_id")
    expect(client.auth.token.lookup_self()["data"]["renewable"], False)
    refused(exceptions.Forbidden, "the role of this app token does not allow renewal", client.auth.token.renew_self)


@step
def not_here():
    client = signed_in()
    nothing = "there is nothing at this path"
    expect(client.read("secret/data/app"), None)
    expect(client.list("secret/metadata"), None)
    refused(exceptions.InvalidPath, nothing, client.secrets.kv.v2.read_secret_version, "app", raise_on_deleted_version=True)
    refused(exceptions.InvalidPath, nothing, client.sys.list_auth_methods)
    refused(exceptions.InvalidPath, nothing, client.auth.token.create)
    refused(exceptions.InvalidPath, nothing, client.auth.token.lookup_accessor, "none")


@step
def no_namespaces_and_no_wrapping():
    said = "this server has no namespaces: remove the header X-Vault-Namespace"
    refused(exceptions.InvalidPath, said, new_client(namespace="team").auth.approle.login, FACTS["open_role_id"])
    new_client(namespace="root").auth.approle.login(FACTS["open_role_id"])
    said = "this server does not wrap answers: remove the header X-Vault-Wrap-TTL"
    write = new_client().write_data
    refused(exceptions.InvalidRequest, said, write, "auth/approle/login", data={"role_id": FACTS["open_role_id"]}, wrap_ttl="60s")


@step
def roles():
    client = administrator()
    approle = client.auth.approle
    expect(approle.create_or_update_approle("made", token_ttl=60).status_code, 204)
    # Its own call would write the list as one text.
    client.write_data("auth/approle/role/made", data={"token_ttl": 60, "token_policies": ["r"]})
    expect(approle.read_role("made")["data"]["token_ttl"], 60)
    role_id = approle.read_role_id("made")["data"]["role_id"]
    secret = approle.generate_secret_id("made")["data"]
    expect(new_client().auth.approle.login(role_id, secret["secret_id"])["auth"]["policies"], ["r"])
    expect(approle.list_secret_id_accessors("made")["data"]["keys"], [secret["secret_id_accessor"]])
    expect(approle.destroy_secret_id_accessor("made", secret["secret_id_accessor"]).status_code, 204)
    refused(exceptions.InvalidRequest, "the role id or the secret id is not valid", new_client().auth.approle.login, role_id, secret["secret_id"])
    expect("made" in approle.list_roles()["data"]["keys"], True)
    expect(approle.delete_role("made").status_code, 204)
    refused(exceptions.InvalidPath, "the role does not exist", approle.read_role, "made")


@step
def bounds():
    approle = administrator().auth.approle
    bound = {"secret_id_bound_cidrs": ["127.0.0.0/8", "::1/128"], "token_bound_cidrs": ["127.0.0.1"], "token_num_uses": 2, "secret_id_num_uses": 1}
    expect(approle.create_or_update_approle("bound-to", **bound).status_code, 204)
    expect({key: approle.read_role("bound-to")["data"][key] for key in bound}, bound)
    role_id = approle.read_role_id("bound-to")["data"]["role_id"]
    login = new_client().auth.approle.login
    secret = approle.generate_secret_id("bound-to")["data"]["secret_id"]
    client = new_client(token=login(role_id, secret)["auth"]["client_token"])
    refused(exceptions.Forbidden, "the secret id is used up", login, role_id, secret)
    looked = client.auth.token.lookup_self()["data"]
    expect((looked["num_uses"], looked["bound_cidrs"]), (1, ["127.0.0.1"]))
    client.auth.token.lookup_self()
    refused(exceptions.Forbidden, TOKEN_DENIED, client.auth.token.lookup_self)
    elsewhere = approle.generate_secret_id("bound-to", cidr_list=["127.0.0.9"])["data"]["secret_id"]
    refused(exceptions.InvalidRequest, "the role id or the secret id is not valid", login, role_id, elsewhere)
    expect(approle.delete_role("bound-to").status_code, 204)


@step
def roles_are_not_for_tokens():
    refused(exceptions.Forbidden, "authentication is required", signed_in().auth.approle.read_role, "bound")


take_steps()
