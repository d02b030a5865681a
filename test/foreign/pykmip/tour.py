# What PyKMIP, unmodified, does against a key server in each of its protocol versions: one line of JSON for each thing done.
# Arguments: its configuration file, the PKCS#8 PEM of an RSA private key, the PEM of a certificate.
import base64
import json
import sys
import warnings

warnings.simplefilter('ignore')

from cryptography.hazmat.primitives import keywrap
from kmip.core import enums, objects
from kmip.core.factories.attribute_values import AttributeValueFactory
from kmip.core.factories.attributes import AttributeFactory
from kmip.core.messages import contents, payloads
from kmip.pie import client as pie
from kmip.pie import objects as managed
from kmip.services.kmip_client import KMIPProxy

ALGORITHM = enums.CryptographicAlgorithm
MASK = enums.CryptographicUsageMask
FACTORY = AttributeFactory()
MESSAGE = b'All that is gold does not glitter'


def der(path):
    lines = open(path).read().strip().split('\n')
    return base64.b64decode(''.join(lines[1:-1]))


class Run:
    def __init__(self, version):
        self.version = version
        self.name = 'KMIP %s' % version.value

    def step(self, name, action):
        """Prints what an action returns, or how it failed; @returns the former"""
        line = {'version': str(self.version.value), 'step': name}
        try:
            result = action()
            line['ok'] = result if isinstance(result, (str, int, bool, list, dict)) else True
        except Exception as error:
            result = None
            line['error'] = '%s: %s' % (type(error).__name__, error)
        print(json.dumps(line), flush=True)
        return result


def name_attribute(name):
    return FACTORY.create_attribute(enums.AttributeType.NAME, name)


def name_value(name):
    return AttributeValueFactory().create_attribute_value_by_enum(enums.Tags.NAME, name)


def reason(action):
    """The result reason of an operation that has to fail"""
    try:
        action()
    except Exception as error:
        return getattr(error, 'reason', error).name
    raise ValueError('it succeeded')


def server_functions(run, proxy):
    if run.version >= enums.KMIPVersion.KMIP_1_1:
        run.step('DiscoverVersions', lambda: ['%d.%d' % (each.major, each.minor) for each in proxy.discover_versions().protocol_versions])
        run.step('DiscoverVersions of one', lambda: len(proxy.discover_versions(protocol_versions=[contents.ProtocolVersion(1, 2)]).protocol_versions))
    functions = [enums.QueryFunction.QUERY_OPERATIONS, enums.QueryFunction.QUERY_OBJECTS, enums.QueryFunction.QUERY_SERVER_INFORMATION]

    def query():
        answer = proxy.query(query_functions=functions)
        if answer.result_status.value != enums.ResultStatus.SUCCESS:
            raise ValueError(answer.result_message.value)
        return {'operations': [each.name for each in answer.operations], 'vendor': str(answer.vendor_identification)}
    run.step('Query', query)


def symmetric(run, client):
    label = run.name + ' key'
    key = run.step('Create', lambda: client.create(ALGORITHM.AES, 256, name=label, cryptographic_usage_mask=[MASK.WRAP_KEY, MASK.UNWRAP_KEY, MASK.DERIVE_KEY]))
    run.step('Get', lambda: client.get(key).value.hex())
    run.step('Locate by name', lambda: client.locate(attributes=[name_attribute(label)]) == [key])
    kinds = [
        FACTORY.create_attribute(enums.AttributeType.CRYPTOGRAPHIC_ALGORITHM, ALGORITHM.AES),
        FACTORY.create_attribute(enums.AttributeType.OBJECT_TYPE, enums.ObjectType.SYMMETRIC_KEY),
        FACTORY.create_attribute(enums.AttributeType.STATE, enums.State.PRE_ACTIVE),
    ]
    run.step('Locate by kind', lambda: key in client.locate(attributes=kinds, maximum_items=50))
    # It cannot read the Original Creation Date, which came with 1.2.
    if run.version < enums.KMIPVersion.KMIP_1_2:
        run.step('GetAttributes', lambda: sorted(each.attribute_name.value for each in client.get_attributes(key)[1]))
    wanted = ['Cryptographic Algorithm', 'Cryptographic Length', 'Name', 'State', 'Cryptographic Usage Mask', 'Unique Identifier', 'Object Type']
    run.step('GetAttributes by name', lambda: {each.attribute_name.value: str(each.attribute_value) for each in client.get_attributes(key, wanted)[1]})
    run.step('GetAttributeList', lambda: client.get_attribute_list(key))
    run.step('Encrypt before activation', lambda: reason(lambda: client.encrypt(MESSAGE, key)))
    run.step('Activate', lambda: client.activate(key) or True)
    run.step('Check', lambda: client.check(key, cryptographic_usage_mask=[MASK.ENCRYPT]) == key)
    if run.version >= enums.KMIPVersion.KMIP_1_2:
        encrypt_and_decrypt(run, client, key)
        mac(run, client)
    if run.version >= enums.KMIPVersion.KMIP_1_1:
        wrapped(run, client, key)
    if run.version >= enums.KMIPVersion.KMIP_1_2:
        run.step('DeriveKey', lambda: derive(client, key))
    new = run.step('ReKey', lambda: client.rekey(key, offset=0))
    run.step('ReKey moves the name', lambda: client.locate(attributes=[name_attribute(label)]) == [new] and new != key)
    attributes(run, client, new)
    return [key, new]


def encrypt_and_decrypt(run, client, key):
    modes = {
        'CBC': {'block_cipher_mode': enums.BlockCipherMode.CBC, 'padding_method': enums.PaddingMethod.PKCS5},
        'ECB': {'block_cipher_mode': enums.BlockCipherMode.ECB, 'padding_method': enums.PaddingMethod.PKCS5},
        'CTR': {'block_cipher_mode': enums.BlockCipherMode.CTR},
    }
    for mode, parameters in modes.items():
        def there_and_back():
            # Sent with a nonce of ours; without one the server makes it.
            given = None if mode == 'ECB' else bytes(range(16))
            with_algorithm = dict(parameters, cryptographic_algorithm=ALGORITHM.AES)
            sealed, nonce = client.encrypt(MESSAGE, key, with_algorithm, given)
            opened = client.decrypt(sealed, key, with_algorithm, given or nonce)
            return opened == MESSAGE and sealed.hex()
        run.step('Encrypt ' + mode, there_and_back)

    def random_nonce():
        parameters = dict(modes['CBC'], cryptographic_algorithm=ALGORITHM.AES, random_iv=True)
        sealed, nonce = client.encrypt(MESSAGE, key, parameters)
        return client.decrypt(sealed, key, parameters, nonce) == MESSAGE and len(nonce)
    run.step('Encrypt with a nonce of the server', random_nonce)


def mac(run, client):
    key = run.step('Create HMAC', lambda: client.create(ALGORITHM.HMAC_SHA256, 256, cryptographic_usage_mask=[MASK.MAC_GENERATE, MASK.MAC_VERIFY]))
    client.activate(key)
    run.step('MAC', lambda: len(client.mac(MESSAGE, key, ALGORITHM.HMAC_SHA256)[1]))


def wrapped(run, client, key):
    """What PyKMIP registers as wrapped it gets as it was; it cannot read what the server wraps, whose KeyValue is a byte string"""
    sealed = keywrap.aes_key_wrap(client.get(key).value, bytes(range(16)))
    about = {
        'wrapping_method': enums.WrappingMethod.ENCRYPT,
        'encryption_key_information': {
            'unique_identifier': key,
            'cryptographic_parameters': {'block_cipher_mode': enums.BlockCipherMode.NIST_KEY_WRAP},
        },
        'encoding_option': enums.EncodingOption.NO_ENCODING,
    }
    other = managed.SymmetricKey(ALGORITHM.AES, 128, sealed, [MASK.ENCRYPT], run.name + ' wrapped', about)

    def there_and_back():
        got = client.get(client.register(other))
        return got.value == sealed and got.key_wrapping_data['encryption_key_information']['unique_identifier'] == key
    run.step('Register wrapped', there_and_back)


def derive(client, key):
    parameters = {
        'cryptographic_parameters': {'hashing_algorithm': enums.HashingAlgorithm.SHA_256},
        'derivation_data': b'context',
        'salt': b'salt',
    }
    derived = client.derive_key(
        enums.ObjectType.SYMMETRIC_KEY, [key], enums.DerivationMethod.HMAC, parameters,
        cryptographic_length=128, cryptographic_algorithm=ALGORITHM.AES, cryptographic_usage_mask=[MASK.ENCRYPT, MASK.DECRYPT])
    return len(client.get(derived).value)


def attributes(run, client, key):
    if run.version < enums.KMIPVersion.KMIP_2_0:
        changed = name_attribute(run.name + ' renamed')
        changed.attribute_index = objects.Attribute.AttributeIndex(0)
        run.step('ModifyAttribute', lambda: client.modify_attribute(key, attribute=changed)[0] == key)
        run.step('DeleteAttribute', lambda: client.delete_attribute(key, attribute_name='Name', attribute_index=0)[0] == key)
    else:
        run.step('SetAttribute', lambda: client.set_attribute(key, attribute_name='Sensitive', attribute_value=True) == key)
        old = objects.CurrentAttribute(attribute=name_value(run.name + ' key'))
        new = objects.NewAttribute(attribute=name_value(run.name + ' renamed'))
        run.step('ModifyAttribute', lambda: client.modify_attribute(key, current_attribute=old, new_attribute=new)[0] == key)
        gone = objects.CurrentAttribute(attribute=name_value(run.name + ' renamed'))
        run.step('DeleteAttribute', lambda: client.delete_attribute(key, current_attribute=gone)[0] == key)
    run.step('Locate what was deleted', lambda: client.locate(attributes=[name_attribute(run.name + ' renamed')]))


def described(run, client):
    """Attributes of every form, single and repeated, structures among them, through a key and back"""
    kind = enums.AttributeType
    given = [
        (kind.CRYPTOGRAPHIC_ALGORITHM, ALGORITHM.TRIPLE_DES),
        (kind.CRYPTOGRAPHIC_LENGTH, 192),
        (kind.CRYPTOGRAPHIC_USAGE_MASK, [MASK.ENCRYPT]),
        (kind.ACTIVATION_DATE, 1500000000),
        (kind.CONTACT_INFORMATION, 'joe'),
        (kind.OBJECT_GROUP, run.name + ' one'),
        (kind.OBJECT_GROUP, run.name + ' two', 1),
        (kind.APPLICATION_SPECIFIC_INFORMATION, {'application_namespace': 'ssl', 'application_data': run.name}),
        (kind.CRYPTOGRAPHIC_PARAMETERS, {'block_cipher_mode': enums.BlockCipherMode.CBC, 'hashing_algorithm': enums.HashingAlgorithm.SHA_1}),
    ]
    template = objects.TemplateAttribute(attributes=[FACTORY.create_attribute(*each) for each in given])

    def there_and_back():
        made = client.proxy.create(enums.ObjectType.SYMMETRIC_KEY, template)
        if made.result_status.value != enums.ResultStatus.SUCCESS:
            raise ValueError(made.result_message.value)
        got = client.get_attributes(made.uuid, sorted({each[0].value for each in given}))[1]
        values = [(each.attribute_name.value, each.attribute_value) for each in got]
        # Reading makes the indices of a template explicit; values are what has to be the same.
        return all(any(name == each.attribute_name.value and value == each.attribute_value for name, value in values) for each in template.attributes)
    run.step('Create with attributes of every form', there_and_back)
    for name, attribute in {'group': template.attributes[6], 'application': template.attributes[7]}.items():
        run.step('Locate by ' + name, lambda: len(client.locate(attributes=[attribute])))


def key_pairs(run, client, proxy):
    made = run.step('CreateKeyPair', lambda: list(client.create_key_pair(
        ALGORITHM.RSA, 2048,
        public_name=run.name + ' public', public_usage_mask=[MASK.VERIFY, MASK.ENCRYPT],
        private_name=run.name + ' private', private_usage_mask=[MASK.SIGN, MASK.DECRYPT])))
    if made is None:
        return []
    public, private = made
    run.step('Get public and private', lambda: [client.get(public).key_format_type.name, client.get(private).key_format_type.name])
    client.activate(public)
    client.activate(private)
    if run.version >= enums.KMIPVersion.KMIP_1_2:
        for padding in [enums.PaddingMethod.PKCS1v15, enums.PaddingMethod.PSS]:
            parameters = {'cryptographic_algorithm': ALGORITHM.RSA, 'hashing_algorithm': enums.HashingAlgorithm.SHA_256, 'padding_method': padding}

            def sign_and_verify():
                signature = client.sign(MESSAGE, private, parameters)
                others = client.signature_verify(MESSAGE + b'!', signature, public, parameters)
                return [client.signature_verify(MESSAGE, signature, public, parameters).name, others.name]
            run.step('Sign ' + padding.name, sign_and_verify)
        oaep = {'cryptographic_algorithm': ALGORITHM.RSA, 'padding_method': enums.PaddingMethod.OAEP, 'hashing_algorithm': enums.HashingAlgorithm.SHA_256}
        run.step('Encrypt OAEP', lambda: client.decrypt(client.encrypt(MESSAGE, public, oaep)[0], private, oaep) == MESSAGE)
    if run.version >= enums.KMIPVersion.KMIP_1_1:
        def rekey():
            answer = proxy.rekey_key_pair(private_key_uuid=objects_identifier(private))
            if answer.result_status.value != enums.ResultStatus.SUCCESS:
                raise ValueError(answer.result_message.value)
            return str(answer.private_key_uuid) != private
        run.step('ReKeyKeyPair', rekey)
    return [public, private]


def objects_identifier(value):
    from kmip.core import attributes
    return attributes.PrivateKeyUniqueIdentifier(value)


def registered(run, client, private_der, certificate_der):
    things = {
        'SymmetricKey': managed.SymmetricKey(ALGORITHM.AES, 128, bytes(range(16)), [MASK.ENCRYPT], run.name + ' SymmetricKey'),
        'PrivateKey': managed.PrivateKey(ALGORITHM.RSA, 2048, private_der, enums.KeyFormatType.PKCS_8, [MASK.SIGN], run.name + ' PrivateKey'),
        'X509Certificate': managed.X509Certificate(certificate_der, [MASK.VERIFY], run.name + ' X509Certificate'),
        'SecretData': managed.SecretData(b'mellon', enums.SecretDataType.PASSWORD, [MASK.DERIVE_KEY], run.name + ' SecretData'),
        'OpaqueObject': managed.OpaqueObject(b'\x01\x02', enums.OpaqueDataType.NONE, run.name + ' OpaqueObject'),
    }
    uids = []
    for name, thing in things.items():
        def there_and_back():
            uid = client.register(thing)
            uids.append(uid)
            return client.get(uid).value == thing.value
        run.step('Register ' + name, there_and_back)
    part = managed.SplitKey(
        cryptographic_algorithm=ALGORITHM.AES, cryptographic_length=128, key_value=bytes(range(16)), cryptographic_usage_masks=[MASK.EXPORT],
        name=run.name + ' part', key_format_type=enums.KeyFormatType.RAW, split_key_parts=3, key_part_identifier=1, split_key_threshold=2,
        split_key_method=enums.SplitKeyMethod.XOR)
    run.step('Register SplitKey', lambda: client.get(client.register(part)).key_part_identifier)
    return uids


def endings(run, client, uids):
    active = client.create(ALGORITHM.AES, 128)
    client.activate(active)
    run.step('Destroy what is active', lambda: reason(lambda: client.destroy(active)))
    run.step('Revoke', lambda: client.revoke(enums.RevocationReasonCode.CESSATION_OF_OPERATION, active, 'no longer') or True)
    run.step('Destroy', lambda: client.destroy(active) or True)
    run.step('Get what is destroyed', lambda: reason(lambda: client.get(active)))
    run.step('Get what never was', lambda: reason(lambda: client.get('nothing of this name')))
    compromised = client.create(ALGORITHM.AES, 128)
    run.step('Revoke as compromised', lambda: client.revoke(enums.RevocationReasonCode.KEY_COMPROMISE, compromised, compromise_occurrence_date=1600000000) or True)
    for uid in uids:
        try:
            client.revoke(enums.RevocationReasonCode.CESSATION_OF_OPERATION, uid)
        except Exception:
            pass  # what was not active
    run.step('Destroy all', lambda: [client.destroy(uid) for uid in uids] and True)


def main(config, private_path, certificate_path):
    for version in enums.KMIPVersion:
        run = Run(version)
        client = pie.ProxyKmipClient(config_file=config, kmip_version=version)
        with client:
            proxy = client.proxy
            server_functions(run, proxy)
            uids = symmetric(run, client)
            described(run, client)
            uids += key_pairs(run, client, proxy)
            uids += registered(run, client, der(private_path), der(certificate_path))
            endings(run, client, uids)


main(*sys.argv[1:])
