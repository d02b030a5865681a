# Encrypts fields of documents as the drivers of MongoDB do, with libmongocrypt and master keys of the server: `tour.py FACTS`, a line for each step.
import socket
import ssl

import bson
from pymongocrypt.errors import MongoCryptError
from pymongocrypt.options import MongoCryptOptions
from pymongocrypt.synchronous.explicit_encrypter import ExplicitEncrypter
from pymongocrypt.synchronous.state_machine import MongoCryptCallback
from steps import FACTS, expect, step, take_steps

RANDOM = "AEAD_AES_256_CBC_HMAC_SHA_512-Random"
DETERMINISTIC = "AEAD_AES_256_CBC_HMAC_SHA_512-Deterministic"
SECRET = {"v": "123-45-6789"}
VAULT = {}


def refused(said, call, *arguments):
    """libmongocrypt tells what the server said."""
    try:
        answer = call(*arguments)
    except MongoCryptError as error:
        if said not in str(error):
            raise AssertionError(f"{error} does not say {said}") from error
        return
    raise AssertionError(f"{answer!r} in place of a refusal")


class Driver(MongoCryptCallback):
    """What a driver does for libmongocrypt: it carries messages to the server, and keeps the data keys."""

    def __init__(self, person):
        self.tls = ssl.create_default_context(cafile=FACTS["ca"])
        self.tls.load_cert_chain(FACTS[person]["cert"], FACTS[person]["key"])

    def kms_request(self, kms_context):
        host, port = kms_context.endpoint.split(":")
        with socket.create_connection((host, int(port)), timeout=30) as plain:
            with self.tls.wrap_socket(plain, server_hostname=host) as connection:
                connection.sendall(bytes(kms_context.message))
                while kms_context.bytes_needed > 0:
                    received = connection.recv(kms_context.bytes_needed)
                    if not received:
                        raise ConnectionError("the server closed the connection")
                    kms_context.feed(received)

    def fetch_keys(self, filter):
        yield from VAULT.values()

    def insert_data_key(self, data_key):
        key_id = bytes(bson.decode(data_key)["_id"])
        VAULT[key_id] = bytes(data_key)
        return key_id

    def bson_encode(self, doc):
        return bson.encode(doc)

    def collection_info(self, database, filter):
        raise NotImplementedError

    def mark_command(self, database, cmd):
        raise NotImplementedError

    def close(self):
        pass


def encrypter(person="ann"):
    """A new one each time: libmongocrypt keeps data keys that it has opened for a minute."""
    options = MongoCryptOptions({"kmip": {"endpoint": FACTS["endpoint"]}})
    return ExplicitEncrypter(Driver(person), options)


def encrypted(key_id, algorithm=RANDOM):
    return encrypter().encrypt(bson.encode(SECRET), algorithm, key_id=key_id)


def decrypted(value, person="ann"):
    return bson.decode(encrypter(person).decrypt(value))


def master_key_of(key_id):
    return bson.decode(VAULT[key_id])["masterKey"]


def made(**master_key):
    VAULT.clear()
    return encrypter().create_data_key("kmip", master_key)


@step
def a_master_key_that_is_fetched():
    key_id = made()
    expect(decrypted(encrypted(key_id)), SECRET)


@step
def a_master_key_that_stays_on_the_server():
    key_id = made(delegated=True)
    expect(master_key_of(key_id)["delegated"], True)
    expect(decrypted(encrypted(key_id)), SECRET)


@step
def a_second_data_key_under_the_same_master_key():
    for options in ({}, {"delegated": True}):
        master_key = master_key_of(made(**options))["keyId"]
        key_id = made(keyId=master_key, **options)
        expect(master_key_of(key_id)["keyId"], master_key)
        expect(decrypted(encrypted(key_id)), SECRET)


@step
def equal_texts_of_equal_values():
    key_id = made()
    expect(encrypted(key_id, DETERMINISTIC), encrypted(key_id, DETERMINISTIC))


@step
def from_one_master_key_to_another():
    key_id = made()
    value = encrypted(key_id)
    before = master_key_of(key_id)
    rewrapped = encrypter().rewrap_many_data_key({}, "kmip", {"delegated": True})
    (data_key,) = bson.decode(rewrapped)["v"]
    expect(data_key["masterKey"]["keyId"] == before["keyId"], False)
    VAULT[key_id] = bson.encode({**bson.decode(VAULT[key_id]), **data_key})
    expect(decrypted(value), SECRET)


@step
def not_for_others():
    for options in ({}, {"delegated": True}):
        value = encrypted(made(**options))
        refused("object not found for identifier", decrypted, value, "bob")


take_steps()
