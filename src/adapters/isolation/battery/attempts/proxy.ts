import { node, sh, type Traces, type Uncategorized } from '../attempt.ts';

/** What the stand-in for an allowed host must not have received. */
const neverSent =
  (unwanted: (traces: Traces) => string, what: string) =>
  async (traces: Traces): Promise<string | null> =>
    traces.allowed.some(({ text }) => text.toLowerCase().includes(unwanted(traces).toLowerCase())) ? what : null;

/**
 * Ways around the allow-list of the egress proxy. `$ALLOWED` is the one localhost port that the policy names as a host;
 * the listeners at `$LOCAL` (loopback) and `$TCP` (all addresses) must never receive anything.
 */
export const PROXY: readonly Uncategorized[] = [
  node('proxy-unlisted', 'ask the proxy for a host that is not allowed, in every form')`
    for (const target of ['http://unlisted.test/', 'http://unlisted.test:443/', 'https://unlisted.test/',
        'http://localhost.unlisted.test/', 'http://xlocalhost/', 'ftp://unlisted.test/', 'http://UNLISTED.test./']) {
      await refused('GET ' + target + ' HTTP/1.1\r\nHost: localhost');
    }
    await refused('CONNECT unlisted.test:443 HTTP/1.1\r\nHost: localhost:' + process.env.ALLOWED);`,
  node('proxy-by-ip', 'ask for an address instead of a name')`
    const { ADDRESS: address = '', TCP: port } = process.env;
    const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    for (const host of [address, String(number), '0x' + number.toString(16), '[::ffff:' + address + ']']) {
      console.log(await ask('GET http://' + host + ':' + port + '/' + mark + ' HTTP/1.1\r\nHost: ' + host));
      console.log(await ask('CONNECT ' + host + ':' + port + ' HTTP/1.1\r\nHost: ' + host, mark));
    }`,
  node('proxy-loopback', "ask for the host's own loopback, in every spelling")`
    const { LOCAL: port } = process.env;
    for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST', 'localhost.', '[::1]', '0.0.0.0', '0', '127.1',
        '2130706433', '0x7f000001', '0177.0.0.1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::]', '127.0.0.1.']) {
      console.log(await ask('GET http://' + host + ':' + port + '/' + mark + ' HTTP/1.1\r\nHost: ' + host));
    }`,
  node('proxy-host-header', 'name an allowed host in one place and another one in the Host header', {
    check: neverSent(({ id }) => `${id}.unlisted.test`, 'the allowed host was sent the name of another one'),
  })`
    const { LOCAL, ALLOWED, ID } = process.env;
    const allowed = 'localhost:' + ALLOWED;
    await ask('GET http://127.0.0.1:' + LOCAL + '/' + mark + ' HTTP/1.1\r\nHost: ' + allowed);
    await ask('GET /' + mark + ' HTTP/1.1\r\nHost: localhost:' + LOCAL);
    await ask('GET //localhost:' + LOCAL + '/' + mark + ' HTTP/1.1\r\nHost: ' + allowed);
    await ask('GET http://' + allowed + '/ HTTP/1.1\r\nHost: ' + ID + '.unlisted.test');
    await ask('GET http://' + allowed + '/ HTTP/1.1\r\nHost: ' + allowed + '\r\nHost: ' + ID + '.unlisted.test');`,
  node('proxy-userinfo', 'hide the real host behind a user name, a fragment or odd characters')`
    const { LOCAL, ALLOWED } = process.env;
    const allowed = 'localhost:' + ALLOWED;
    for (const target of ['http://' + allowed + '@127.0.0.1:' + LOCAL + '/', 'http://127.0.0.1:' + LOCAL + '#@' + allowed,
        'http://' + allowed + '\\@127.0.0.1:' + LOCAL, 'http://127.0.0.1:' + LOCAL + '\t.' + allowed,
        'http://127.0.0.1:' + LOCAL + '%00.' + allowed, 'http:127.0.0.1:' + LOCAL + '/']) {
      console.log(await ask('GET ' + target + mark + ' HTTP/1.1\r\nHost: ' + allowed));
    }`,
  node('proxy-connect-port', 'CONNECT to an allowed host on a port that is not allowed')`
    const { LOCAL } = process.env;
    for (const host of ['localhost', '127.0.0.1', '[::1]', '0']) {
      console.log(await ask('CONNECT ' + host + ':' + LOCAL + ' HTTP/1.1\r\nHost: ' + host + ':' + LOCAL, mark));
    }
    await refused('CONNECT localhost:22 HTTP/1.1\r\nHost: localhost');`,
  node('proxy-sni', 'name another host inside the TLS of an allowed tunnel (domain fronting)', {
    check: neverSent(({ id }) => `${id}.unlisted.test`, 'a TLS hello for another host went through the tunnel'),
  })`
    const { ALLOWED, ID } = process.env;
    const socket = proxySocket();
    socket.on('error', (error) => console.log(error.code));
    socket.write('CONNECT localhost:' + ALLOWED + ' HTTP/1.1\r\nHost: localhost:' + ALLOWED + '\r\n\r\n');
    const [first] = await Promise.race([require('node:events').once(socket, 'data'), pause(1500).then(() => [''])]);
    console.log(String(first).split('\r\n')[0]);
    const tls = require('node:tls').connect({ socket, servername: ID + '.unlisted.test', rejectUnauthorized: false });
    tls.on('error', (error) => console.log(error.code));
    await Promise.race([require('node:events').once(tls, 'close'), pause(700)]);
    socket.destroy();`,
  node('proxy-hidden-name', 'hide the name of another host in an encrypted TLS hello (ECH)', {
    check: neverSent(({ id }) => `${id}.hidden.test`, 'an encrypted TLS hello went through the tunnel'),
  })`
    const { ALLOWED, ID } = process.env;
    const events = require('node:events');
    // A hello of our own TLS, with one extension more behind all others.
    const hello = await new Promise((resolve) => {
      const write = (chunk, _, done) => { resolve(chunk); done(); };
      const socket = new (require('node:stream').Duplex)({ read() {}, write });
      require('node:tls').connect({ socket, servername: 'localhost' }).on('error', () => {});
    });
    const shake = hello.subarray(5);
    const hidden = Buffer.concat([Buffer.from([0xfe, 0x0d, 0, 80]), Buffer.from((ID + '.hidden.test').padEnd(80, '.'))]);
    const suites = 39 + shake[38];
    const methods = suites + 2 + shake.readUInt16BE(suites);
    const lengthAt = methods + 1 + shake[methods];
    const longer = Buffer.concat([shake, hidden]);
    longer.writeUIntBE(longer.length - 4, 1, 3);
    longer.writeUInt16BE(shake.readUInt16BE(lengthAt) + hidden.length, lengthAt);
    const record = Buffer.concat([Buffer.from([22, 3, 1, longer.length >> 8, longer.length & 255]), longer]);
    const head = 'CONNECT localhost:' + ALLOWED + ' HTTP/1.1\r\nHost: localhost:' + ALLOWED + '\r\n\r\n';
    const socket = proxySocket();
    socket.on('error', (error) => console.log(error.code));
    socket.write(head);
    const [first] = await Promise.race([events.once(socket, 'data'), pause(1500).then(() => [''])]);
    console.log(String(first).split('\r\n')[0]);
    socket.write(record);
    await pause(700);
    socket.destroy();`,
  node('proxy-private-address', 'ask for an allowed name that leads to this machine itself')`
    const { OWN_NAME } = process.env;
    console.log(await ask('GET http://' + OWN_NAME + '/' + mark + ' HTTP/1.1\r\nHost: ' + OWN_NAME));
    console.log(await ask('CONNECT ' + OWN_NAME + ' HTTP/1.1\r\nHost: ' + OWN_NAME, mark));`,
  node('proxy-pipelined', 'send a second request for another host down a connection that was allowed')`
    const { LOCAL, ALLOWED } = process.env;
    const allowed = 'localhost:' + ALLOWED;
    const good = 'GET http://' + allowed + '/ HTTP/1.1\r\nHost: ' + allowed + '\r\n\r\n';
    const bad = 'GET http://127.0.0.1:' + LOCAL + '/' + mark + ' HTTP/1.1\r\nHost: ' + allowed;
    console.log(await ask(good + bad), await ask(good + good + 'CONNECT 127.0.0.1:' + LOCAL + ' HTTP/1.1', mark));`,
  node('proxy-smuggled', 'smuggle a request past the proxy with headers that contradict one another', {
    check: neverSent(({ id }) => `x-smuggled: ${id}`, 'the allowed host was sent a second, hidden request'),
  })`
    const { LOCAL, ALLOWED, ID } = process.env;
    const allowed = 'localhost:' + ALLOWED;
    const hidden = 'GET http://127.0.0.1:' + LOCAL + '/' + mark + ' HTTP/1.1\r\nX-Smuggled: ' + ID + '\r\n\r\n';
    const head = 'POST http://' + allowed + '/ HTTP/1.1\r\nHost: ' + allowed + '\r\n';
    const bodies = ['Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n' + hidden,
      'Content-Length: 0\r\nContent-Length: ' + hidden.length + '\r\n\r\n' + hidden,
      'Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n' + hidden,
      'Transfer-Encoding : chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n' + hidden];
    for (const body of bodies) console.log(await tell(head + body));`,
  sh('proxy-sockets', 'replace the sockets that lead to the proxy, or add to them')`
    for folder in $(tr '\0' '\n' < /proc/1/cmdline | grep -A1 -x -e --sockets) \
        $(cat /proc/[0-9]*/cmdline | tr '\0' '\n' | grep -A1 -x -e --sockets) "$GATEWAY"; do
      [ -d "$folder" ] || continue
      echo "sockets in $folder"
      touch "$folder/new.sock" && escaped "$folder can be written"
    done`,
];
