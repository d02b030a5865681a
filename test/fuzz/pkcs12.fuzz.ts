// Broken PKCS#12 files: each is read or refused, whatever its lengths, iteration counts and algorithms say; the contents also behind a MAC that is right.
import { readPkcs12 } from '../../crypto/pkcs12/pkcs12.ts';
import { readBags } from '../../crypto/pkcs12/pkcs12-bags.ts';
import { Pkcs12Password } from '../../crypto/pkcs12/pkcs12-password.ts';
import { refusalOf } from '../../kmip/crypto-refusal.ts';
import { BYTES, mutated } from './mutate.ts';
import type { FuzzTarget } from './target.ts';

/** Of one iteration, under the password x: a plain key and encrypted certificates, and the other way round. */
const FILES = [
  'MIIDsAIBAzCCA2oGCSqGSIb3DQEHAaCCA1sEggNXMIIDUzCCAmEGCSqGSIb3DQEHBqCCAlIwggJOAgEAMIICRwYJKoZIhvcNAQcBMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAjnWm/p21ZXtgIBATAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBAgQQNTQDLmNr+k9zUrum8D0ES4CCAeDTvkVhuzvOzLlA2YqJATFluL+5F3mIXa5QkQLQclX2HhCPExQRSjqo3+2gi1k8uzC+7tJQ2GQYV6yTNw/Twv6xhD+qGb2E/8CV1Jn/9BNpSnSLbeMPLjyJfUjK7pPerGV5ycjPsmgFrYiM6CWGS5CGmFLXWOareO41Sp1G/p2jHttKDtyMrXiNHxIytoEQUVYnBZMEXd/pOyA4VwR6iCP1JZVfP9MRliwFvxd0iTSk7z4q4Xn61SF+sHFT7/M3BX4hMimxdWIWHjqellwKo2MVvRcuaDzPGj7XdfSuK/xnlwJDIhoAyBvndu72t5hS0OqlMTxuhufAiEBbiiqlWRg52iGk8w31McbTsNqmfi1N4HFpqVwO05m/th7xQUp40QQU33eN+kpAtLUwn5X14ZcQGMwk8OVPp/k87VxpuO8hQGhPHS+uH36GkjImtueFmV3/msnEZE6v/4xvt2UXeQAk4mWLx8aZ42XIPAoOtanK0796T86XTxZGejRlUXwQsjW8oict/7+MskznJLhSLTYcI1gqePSrsEKGIRPm/tXbisxMqAn9/8dJnpnZuL6FCyS7AoO3QBo7Xf0Oqt+5BTVLECHCbhyo4y5wEV5KkzFNTebRGVwDsBIPNPc5v0Fiv3MwgesGCSqGSIb3DQEHAaCB3QSB2jCB1zCB1AYLKoZIhvcNAQwKAQGggYowgYcCAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEbTBrAgEBBCCLg3HTG1TbDViewmztCV7RR0JSAzlubEpIa/GWix1306FEA0IABKs1SDL6SWSAOs2J5oIdAuCPYisvjLxbRAUCAAjkQuGSHiiRIUnLoj0ilg0s0emtrsasUc8R3ScB5gZnm9V79hUxODARBgkqhkiG9w0BCRQxBB4CAG4wIwYJKoZIhvcNAQkVMRYEFPs6MPE9wcfh/VQFUOvgkK70MrBCMD0wMTANBglghkgBZQMEAgEFAAQgWwB3RwP6KAE6BGXu4ykBE4FiXb3ku7hT7JmYzU2v1sYECEP+3nnm6IER',
  'MIIDbQIBAzCCAycGCSqGSIb3DQEHAaCCAxgEggMUMIIDEDCCAfEGCSqGSIb3DQEHAaCCAeIEggHeMIIB2jCCAdYGCyqGSIb3DQEMCgEDoIIBizCCAYcGCiqGSIb3DQEJFgGgggF3BIIBczCCAW8wggEVoAMCAQICFBNen+kzL3avOfXZfVPLtf0AflIuMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAXgwIBcNMjYxMTIyMDcyODM2WhgPMjEyNjEwMjkwNzI4MzZaMAwxCjAIBgNVBAMMAXgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASrNUgy+klkgDrNieaCHQLgj2IrL4y8W0QFAgAI5ELhkh4okSFJy6I9IpYNLNHpra7GrFHPEd0nAeYGZ5vVe/YVo1MwUTAdBgNVHQ4EFgQUiW6srK40jEtPvFqiI2hQcysEzD4wHwYDVR0jBBgwFoAUiW6srK40jEtPvFqiI2hQcysEzD4wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAsEb+4xqjpO0ghDy4KqASsjkBll2iS0fiMlG4CDRQohcCIG/sRv7D1rTQccDAC1end7o9QRnsW9DhprHiaJEN8jQ2MTgwEQYJKoZIhvcNAQkUMQQeAgBuMCMGCSqGSIb3DQEJFTEWBBT7OjDxPcHH4f1UBVDr4JCu9DKwQjCCARcGCSqGSIb3DQEHAaCCAQgEggEEMIIBADCB/QYLKoZIhvcNAQwKAQKggbMwgbAwGwYKKoZIhvcNAQwBAzANBAiiD/yJE1YXdAIBAQSBkNqfmhgucmbtAKK2S45Ipz7SAmEps0wJSmadBAB59H/q4PHeNLGNBvO0wgIIbcjh+CqXSslouya9Bb9uBC/F3E0q9m3s1Hu6PWNv33GGiYjm7UdvG0BFoc0l2+dxjE2AJt6ioA1THxogSlRElpuaia+0h4rMNl+4ZSsWBwPZqUJEAL8Vt4QJ42uAHYKXUNL4gTE4MBEGCSqGSIb3DQEJFDEEHgIAbjAjBgkqhkiG9w0BCRUxFgQU+zow8T3Bx+H9VAVQ6+CQrvQysEIwPTAxMA0GCWCGSAFlAwQCAQUABCDrqX6Vp22F9XHS9cDTFrpGImb5/yfNQbXsAwvMVQcrvgQIQ2V3NbdYxuY=',
].map((file) => new Uint8Array(Buffer.from(file, 'base64')));

/** Where the contents of the files begin, behind the headers of the file. */
const CONTENTS = FILES.map((file) => {
  const buffer = Buffer.from(file);
  const at = buffer.indexOf(Buffer.from('06092a864886f70d010701a082', 'hex')) + 13 + 2;
  const length = buffer.readUInt16BE(at + 2);
  return new Uint8Array(buffer.subarray(at + 4, at + 4 + length));
});

async function tried(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!refusalOf(error)) throw error;
  }
}

export const PKCS12_TARGET: FuzzTarget = {
  name: 'pkcs12',
  // As many iterations as a file may ask for.
  maxMs: 15_000,
  open: async () => {
    for (const file of FILES) await readPkcs12(file, 'x');
    for (const contents of CONTENTS) await readBags(contents, new Pkcs12Password('x'));
    return {
      async attempt(random) {
        await tried(readPkcs12(mutated(FILES, BYTES, random), 'x'));
        await tried(readBags(mutated(CONTENTS, BYTES, random), new Pkcs12Password('x')));
      },
    };
  },
};
