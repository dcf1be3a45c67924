import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressClass, isIpLiteral } from './addresses.ts';
import { canonicalAddress } from './hosts.ts';

it.each([
  ['0.1.2.3', 'unspecified'],
  ['127.255.0.1', 'loopback'],
  ['169.254.169.254', 'link-local'],
  ['10.0.0.1', 'private'],
  ['172.15.255.255', 'public'],
  ['172.16.0.0', 'private'],
  ['172.32.0.0', 'public'],
  ['100.127.255.255', 'private'],
  ['239.0.0.1', 'multicast'],
  ['255.255.255.255', 'reserved'],
  ['8.8.8.8', 'public'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['febf::1', 'link-local'],
  ['fdff::1', 'private'],
  ['ff02::fb', 'multicast'],
  ['2606:4700::1111', 'public'],
  ['64:ff9b::a00:1', 'private'],
  ['2002:7f00:1::', 'loopback'],
  ['::7f00:1', 'loopback'],
  ['2001:0:1::', 'reserved'],
  ['01.2.3.4', 'reserved'],
  ['1.2.3', 'reserved'],
  ['1::2::3', 'reserved'],
])('%s is %s', (address, kind) => expect(addressClass(address)).toBe(kind));

it('agrees with the ranges of Node', () => {
  const list = new BlockList();
  list.addSubnet('10.0.0.0', 8, 'ipv4');
  list.addSubnet('172.16.0.0', 12, 'ipv4');
  list.addSubnet('192.168.0.0', 16, 'ipv4');
  list.addSubnet('100.64.0.0', 10, 'ipv4');
  list.addSubnet('198.18.0.0', 15, 'ipv4');
  const near = fc.tuple(
    fc.constantFrom(10, 172, 192, 100, 198, 11),
    fc.constantFrom(15, 16, 31, 32, 63, 64, 127, 128, 167, 168, 17, 18, 19, 20),
    fc.nat(255),
    fc.nat(255),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.ipV4(),
        near.map((bytes) => bytes.join('.')),
      ),
      (address) => {
        expect(addressClass(address) === 'private').toBe(list.check(address));
      },
    ),
    { numRuns: 1_000 },
  );
});

it('knows every IPv6 address, and takes nothing else for one', () => {
  fc.assert(fc.property(fc.ipV6(), (address) => void expect(canonicalAddress(address)).not.toBeNull()));
  fc.assert(fc.property(fc.domain(), (name) => void expect(isIpLiteral(name)).toBe(false)));
});
