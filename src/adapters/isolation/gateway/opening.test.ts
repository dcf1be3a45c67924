import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clientHello, withExtension } from './gateway.fixture.ts';
import { readOpening } from './opening.ts';

const TYPE_AND_VERSION = 3;
const RECORD_HEAD = 5;

const plain = { kind: 'tls', names: [], encrypted: false };

/** The same handshake, in records of so many bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const handshake = hello.subarray(RECORD_HEAD);
  const records: Buffer[] = [];
  for (let at = 0; at < handshake.length; at += size) {
    const part = handshake.subarray(at, at + size);
    records.push(hello.subarray(0, TYPE_AND_VERSION), Buffer.from([part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

it('finds the name that a client asks for', async () => {
  expect(readOpening(await clientHello('api.example.com'))).toEqual({ ...plain, names: ['api.example.com'] });
});

it('finds that there is none', async () => {
  expect(readOpening(await clientHello(null))).toEqual(plain);
});

it('waits for the rest, however the hello is cut', async () => {
  const hello = await clientHello('api.example.com');
  for (const bytes of [hello, inRecords(hello, 1), inRecords(hello, 3), inRecords(hello, 100)]) {
    for (let length = 0; length < bytes.length; length += 7) {
      expect(readOpening(bytes.subarray(0, length)).kind).toBe('more');
    }
    expect(readOpening(bytes)).toEqual({ ...plain, names: ['api.example.com'] });
    expect(readOpening(Buffer.concat([bytes, Buffer.from('early')]))).toMatchObject({ kind: 'tls' });
  }
});

it('finds every name where there are two', async () => {
  const second = Buffer.concat([Buffer.from([0, 16, 0, 0, 13]), Buffer.from('other.example')]);
  const hello = withExtension(await clientHello('api.example.com'), 0, second);
  expect(readOpening(hello)).toEqual({ ...plain, names: ['api.example.com', 'other.example'] });
});

it.each([0xfe0d, 0xffce])('finds that another hello is hidden in it (extension %i)', async (kind) => {
  const hello = withExtension(await clientHello('api.example.com'), kind, Buffer.alloc(64, 7));
  expect(readOpening(hello)).toEqual({ ...plain, names: ['api.example.com'], encrypted: true });
  expect(readOpening(inRecords(hello, 3))).toMatchObject({ encrypted: true });
});

it.each(['GET / HTTP/1.1\r\n', 'SSH-2.0-x\r\n', '\0\0', '\x16\x02'])('takes %j for something else', (text) => {
  expect(readOpening(Buffer.from(text, 'latin1')).kind).toBe('other');
});

it('gives up on a hello without end', () => {
  const endless = Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0, 1, 0, 0x3f, 0xfc]), Buffer.alloc(30_000)]);
  expect(readOpening(endless).kind).toBe('broken');
  expect(readOpening(Buffer.from([22, 3, 1, 0, 4, 1, 255, 255, 255])).kind).toBe('broken');
});

it('never throws, and takes no damaged hello for one of another name', async () => {
  const hello = await clientHello('api.example.com');
  fc.assert(
    fc.property(fc.nat(hello.length - 1), fc.nat(255), (at, byte) => {
      const damaged = Buffer.from(hello);
      damaged[at] = byte;
      expect(['tls', 'more', 'broken', 'other']).toContain(readOpening(damaged).kind);
    }),
  );
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void readOpening(Buffer.from([22, 3, 1, ...bytes]))));
});
