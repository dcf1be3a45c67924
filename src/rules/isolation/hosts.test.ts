import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import {
  addressRefusal,
  authorityText,
  canonicalAddress,
  canonicalHost,
  endpointOf,
  isIpLiteral,
  matches,
  parseAuthority,
  parseHostPattern,
} from './hosts.ts';

const patterns = (...texts: string[]) => texts.map((text) => parseHostPattern(text)!);

describe('canonicalHost', () => {
  it.each([
    ['API.Example.com', 'api.example.com'],
    ['api.example.com.', 'api.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['under_score.example', 'under_score.example'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['[::FFFF:127.0.0.1]', '127.0.0.1'],
    ['[0:0::1]', '::1'],
    ['[FD00:0:0::1]', 'fd00::1'],
  ])('spells %s as %s', (text, host) => expect(canonicalHost(text)).toBe(host));

  it.each([
    '',
    '.',
    '..',
    'a..b',
    'a b',
    'a/b',
    'a@b',
    'a:1',
    'a#',
    'a?',
    'a\\b',
    '%61',
    '::1',
    '[::1',
    '[::1%25lo]',
    '1.2.3.999',
    'a\0b',
    'a\tb',
    `${'a'.repeat(64)}.b`,
    `${'a.'.repeat(130)}b`,
  ])('takes %j for no host', (text) => expect(canonicalHost(text)).toBeNull());

  it('changes nothing that it gave itself', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.domain(),
          fc.ipV4Extended(),
          fc.ipV6().map((ip) => `[${ip}]`),
          fc.string(),
        ),
        (text) => {
          const host = canonicalHost(text);
          if (host !== null) expect(canonicalHost(host.includes(':') ? `[${host}]` : host)).toBe(host);
        },
      ),
    );
  });
});

it('an IPv4 address is the same in every spelling', () => {
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), fc.constantFrom(10, 16, 8), (number, radix) => {
      const bytes = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
      const prefix = { 10: '', 16: '0x', 8: '0' }[radix];
      const usual = bytes.join('.');
      expect(canonicalHost(`${prefix}${number.toString(radix)}`)).toBe(usual);
      expect(canonicalHost(bytes.map((byte) => `${prefix}${byte.toString(radix)}`).join('.'))).toBe(usual);
      expect(canonicalHost(`[::ffff:${usual}]`)).toBe(usual);
      expect(canonicalAddress(`::ffff:${usual}`)).toBe(usual);
      expect(isIpLiteral(usual)).toBe(true);
    }),
  );
});

it.each([
  ['a.example:80', { host: 'a.example', port: 80 }],
  ['a.example', { host: 'a.example', port: 443 }],
  ['[::1]:8080', { host: '::1', port: 8080 }],
  ['a.example:', null],
  ['a.example:0', null],
  ['a.example:65536', null],
  ['a.example:1:2', null],
  ['::1:80', null],
  [':80', null],
])('parseAuthority reads %s', (text, endpoint) => {
  expect(parseAuthority(text, 443)).toEqual(endpoint);
  if (endpoint) expect(parseAuthority(authorityText(endpoint), null)).toEqual(endpoint);
});

describe('an allow-list', () => {
  it.each([
    '*',
    '*.',
    '*.*.example',
    'a.*.example',
    'https://a.example',
    'a.example/x',
    '',
    '*.1.2.3.4',
    'localhost',
    '127.0.0.1',
    '0.0.0.0',
    '[::1]',
    '*.localhost',
    '*.localhost:80',
    'a.example:x',
    'a.example:0',
  ])('has no entry %j', (text) => expect(parseHostPattern(text)).toBeNull());

  it.each([
    ['example.com', 'example.com', 443, true],
    ['example.com', 'example.com', 80, true],
    ['example.com', 'example.com', 8443, false],
    ['example.com', 'a.example.com', 443, false],
    ['example.com:8443', 'example.com', 8443, true],
    ['example.com:8443', 'example.com', 443, false],
    ['*.example.com', 'a.example.com', 443, true],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['*.example.com', 'notexample.com', 443, false],
    ['*.example.com:22', 'a.example.com', 22, true],
    ['EXAMPLE.com.', 'example.com', 443, true],
    ['10.0.0.5', '10.0.0.5', 443, true],
    ['localhost:5432', 'localhost', 5432, true],
    ['[fd00::1]:80', 'fd00::1', 80, true],
  ])('with %s: %s on port %i is %s', (text, host, port, listed) => {
    expect(matches(patterns(text), { host, port }) !== null).toBe(listed);
  });

  it('vouches most for what is listed itself, with its port', () => {
    const list = patterns('*.example.com', 'a.example.com', 'a.example.com:443');
    expect(matches(list, { host: 'a.example.com', port: 443 })).toEqual({ exact: true, explicitPort: true });
    expect(matches(list, { host: 'a.example.com', port: 80 })).toEqual({ exact: true, explicitPort: false });
    expect(matches(list, { host: 'b.example.com', port: 80 })).toEqual({ exact: false, explicitPort: false });
  });

  it('agrees with reading names from right to left, label by label', () => {
    const label = fc.constantFrom('a', 'b', 'ab', 'example', 'com');
    const name = fc.array(label, { minLength: 1, maxLength: 4 });
    const entry = fc.record({ name, below: fc.boolean(), port: fc.option(fc.constantFrom(80, 443, 8443)) });
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 4 }),
        name,
        fc.constantFrom(80, 443, 8443, 22),
        (entries, asked, port) => {
          const texts = entries.map(
            (each) => `${each.below ? '*.' : ''}${each.name.join('.')}${each.port ? `:${each.port}` : ''}`,
          );
          const expected = entries.some((each) => {
            const end = asked.slice(asked.length - each.name.length);
            const fitsName =
              end.length === each.name.length &&
              end.every((part, at) => part === each.name[at]) &&
              (each.below ? asked.length > each.name.length : asked.length === each.name.length);
            return fitsName && (each.port === null ? port === 80 || port === 443 : port === each.port);
          });
          expect(matches(patterns(...texts), { host: asked.join('.'), port }) !== null).toBe(expected);
        },
      ),
    );
  });
});

describe('a listed name', () => {
  const byName = { exact: true, explicitPort: false };
  it('may be at any public address, and at a private one when it is listed itself', () => {
    expect(addressRefusal('93.184.216.34', { ...byName, exact: false }, [])).toBeNull();
    expect(addressRefusal('2606:2800:220:1::1', byName, [])).toBeNull();
    expect(addressRefusal('10.1.2.3', byName, [])).toBeNull();
    expect(addressRefusal('10.1.2.3', { ...byName, exact: false }, [])).toContain('not by a wildcard');
  });

  it('may not be at an address of this machine, public or not', () => {
    expect(addressRefusal('93.184.216.34', byName, ['93.184.216.34'])).toContain('isolation.localPorts');
    expect(addressRefusal('169.254.169.254', byName, [])).toContain('clouds keep their credentials');
    expect(addressRefusal('not an address', byName, [])).not.toBeNull();
  });
});

it.each([
  ['https://api.example.com/v1', { kind: 'host', pattern: 'api.example.com' }],
  ['http://api.example.com', { kind: 'host', pattern: 'api.example.com' }],
  ['https://API.example.com:8443/', { kind: 'host', pattern: 'api.example.com:8443' }],
  ['https://[fd00::1]:8443/', { kind: 'host', pattern: '[fd00::1]:8443' }],
  ['wss://una:secret@ws.example.com', { kind: 'host', pattern: 'ws.example.com' }],
  ['http://localhost:11434/v1', { kind: 'local', port: 11434 }],
  ['http://127.0.0.1', { kind: 'local', port: 80 }],
  ['http://[::1]:1234', { kind: 'local', port: 1234 }],
  ['http://0.0.0.0:1234', { kind: 'local', port: 1234 }],
  ['file:///etc/passwd', null],
  ['api.example.com', null],
  ['', null],
])('endpointOf reads %s', (text, endpoint) => expect(endpointOf(text)).toEqual(endpoint));

it('what endpointOf gives is an entry of an allow-list', () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true }), (url) => {
      const endpoint = endpointOf(url);
      if (endpoint?.kind === 'host') expect(parseHostPattern(endpoint.pattern)).not.toBeNull();
    }),
  );
});

/** The class of an address, by the words with which it is refused. */
function classOf(address: string): string {
  const refusal = addressRefusal(address, { exact: false, explicitPort: false }, []);
  if (refusal === null) return 'public';
  const said = refusal.slice(`it resolves to ${address}: `.length);
  return CLASSES.find(([words]) => said.startsWith(words))?.[1] ?? refusal;
}

const CLASSES = [
  ['a private network', 'private'],
  ['this machine', 'loopback'],
  ['the local link', 'link-local'],
  ['an unspecified', 'unspecified'],
  ['a multicast', 'multicast'],
  ['a reserved', 'reserved'],
] as const;

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
])('%s is %s', (address, kind) => expect(classOf(address)).toBe(kind));

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
        expect(classOf(address) === 'private').toBe(list.check(address));
      },
    ),
    { numRuns: runs(1_000) },
  );
});

it('knows every IPv6 address, and takes nothing else for one', () => {
  fc.assert(fc.property(fc.ipV6(), (address) => void expect(canonicalAddress(address)).not.toBeNull()));
  fc.assert(fc.property(fc.domain(), (name) => void expect(isIpLiteral(name)).toBe(false)));
});
