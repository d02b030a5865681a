// Lists of addresses and networks: each family has its own networks, and an IPv4 address is one in each form.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { addressList, isListed } from '../../kernel/address-list.ts';

const listed = (entries: readonly string[], addresses: readonly string[]) => {
  const list = addressList(entries);
  return addresses.filter((address) => isListed(list, address));
};

test('a network of IPv6 has no IPv4 address in it, in whichever form', () => {
  const ipv4 = ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '0:0:0:0:0:FFFF:c000:0201'];
  assert.deepEqual(listed(['::/0'], [...ipv4, '2001:db8::1', '::1']), ['2001:db8::1', '::1']);
  assert.deepEqual(listed(['::/64'], [...ipv4, '::1']), ['::1']);
  assert.deepEqual(listed(['0.0.0.0/0'], [...ipv4, '2001:db8::1']), ipv4);
  assert.deepEqual(listed(['192.0.2.0/24'], ipv4), ipv4);
});

test('entries may write IPv4 as IPv6; what is no address is in no list', () => {
  const ipv4 = ['192.0.2.1', '::ffff:c000:201', '192.0.2.2'];
  assert.deepEqual(listed(['::ffff:192.0.2.1'], ipv4), ipv4.slice(0, 2));
  assert.deepEqual(listed(['::ffff:c000:200/120'], [...ipv4, '192.0.3.1']), ipv4);
  assert.deepEqual(listed(['2001:db8::/32', 'fe80::1'], ['2001:db8:1::1', '2001:db9::1', 'fe80::1']), ['2001:db8:1::1', 'fe80::1']);
  assert.deepEqual(listed(['0.0.0.0/0', '::/0'], ['', 'proxy', '1.2.3', '1.2.3.4:5']), []);
});

test.run();
