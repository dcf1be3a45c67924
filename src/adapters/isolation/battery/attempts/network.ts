import type { Attempt } from '../attempt.ts';

/** The network without the proxy. `$ADDRESS` is an address of this machine that is not loopback, where it has one. */
export const NETWORK: readonly Attempt[] = [
  {
    id: 'tcp-direct',
    category: 'network',
    attempt: 'open a TCP connection without the proxy',
    by: 'node',
    script:
      'if (process.env.ADDRESS) console.log(await say({ host: process.env.ADDRESS, port: process.env.TCP }, mark));',
  },
  {
    id: 'udp-direct',
    category: 'network',
    attempt: 'send UDP packets',
    by: 'node',
    script: `
      const socket = require('node:dgram').createSocket('udp4');
      for (const address of ['127.0.0.1', process.env.ADDRESS].filter(Boolean)) {
        await new Promise((done) => socket.send(mark, Number(process.env.UDP), address, (error) => {
          console.log(address, error ? error.code : 'sent');
          done();
        }));
      }
      socket.close();`,
  },
  {
    id: 'dns',
    category: 'network',
    attempt: 'ask name servers, and carry data out in the question',
    by: 'node',
    script: `
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
  },
  {
    id: 'icmp',
    category: 'network',
    attempt: 'send ICMP packets',
    by: 'sh',
    script: `
      [ -n "$ADDRESS" ] || lacks 'address of this machine'
      if command -v ping; then ping -c 1 -w 1 "$ADDRESS" && escaped "ping reaches $ADDRESS"; exit; fi
      needs perl
      perl -MSocket -e '
        my $socket;
        socket($socket, AF_INET, SOCK_DGRAM, 1) or socket($socket, AF_INET, SOCK_RAW, 1) or die "$!\\n";
        # A question of eight bytes, its sum made right by hand for where the kernel does not make it.
        send($socket, pack("C2n3", 8, 0, 0xf7fe, 0, 1), 0, sockaddr_in(0, inet_aton($ENV{ADDRESS}))) or die "$!\\n";
        vec(my $ready = "", fileno($socket), 1) = 1;
        print select($ready, undef, undef, 1) > 0 ? "ESCAPED $ENV{ADDRESS} answers\\n" : "no answer\\n";'`,
  },
  {
    id: 'interfaces',
    category: 'network',
    attempt: 'find a network interface or a route that leads out',
    by: 'sh',
    script: `
      sed 1,2d /proc/net/dev | while IFS=: read -r name traffic; do
        name=$(echo $name)
        # Made in every network namespace by some kernels, and leads nowhere.
        case $name in lo|tunl*|sit*|gre*|erspan*|ip6*|ip_vti*) continue ;; esac
        escaped "there is the interface $name"
      done
      sed 1d /proc/net/route | grep . && escaped 'there is a route'`,
  },
  {
    id: 'loopback-ports',
    category: 'network',
    attempt: "reach ports of the host's loopback that are not shared",
    by: 'node',
    script: `
      for (const host of ['127.0.0.1', '::1', 'localhost', '0.0.0.0', '127.1.2.3', '::ffff:127.0.0.1']) {
        for (const port of [process.env.LOCAL, process.env.TCP]) console.log(host, await say({ host, port }, mark));
      }`,
  },
  {
    id: 'raw-sockets',
    category: 'network',
    attempt: 'open raw and packet sockets',
    by: 'sh',
    script: `
      needs perl
      perl -MSocket -e '
        print "ESCAPED a packet socket sees other interfaces\\n"
          if socket(my $packet, 17, SOCK_RAW, 768) && grep { !/^\\s*lo:|tunl|sit|gre|ip6|ip_vti/ && /:/ } \`cat /proc/net/dev\`;
        print socket(my $raw, AF_INET, SOCK_RAW, 1) ? "ESCAPED a raw socket opens\\n" : "$!\\n";'`,
  },
  {
    id: 'metadata',
    category: 'network',
    attempt: "reach the cloud's metadata service, directly and through the proxy",
    by: 'node',
    script: `
      for (const host of ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '169.254.170.2']) {
        const answer = await say({ host, port: 80 }, 'GET /latest/meta-data/ HTTP/1.0\\r\\n\\r\\n');
        if (answer === CONNECTED || answer.startsWith('HTTP/')) escaped(host + ' answers');
      }
      for (const name of ['169.254.169.254', '[fd00:ec2::254]', '2852039166', 'metadata.google.internal']) {
        await refused('GET http://' + name + '/latest/meta-data/ HTTP/1.1\\r\\nHost: ' + name);
      }`,
  },
];
