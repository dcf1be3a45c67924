import { expect, test } from 'vitest';
import type { Policy } from '../port.ts';
import { srtSettings } from './settings.ts';

type Asked = Parameters<typeof srtSettings>;

const policy: Policy = {
  hosts: ['api.example.com', '*.example.org', 'example.net:8443', 'intranet'],
  localPorts: [],
  read: [],
  write: [],
  memoryBytes: 1024 ** 3,
  processes: 512,
  cpus: null,
};
const places: Asked[0] = {
  hidden: ['/home/una'],
  readable: ['/home/una/.nvm'],
  writable: ['/project', '/state/home'],
  readOnly: ['/project/.ralph/config.json'],
};
const ways: Asked[2] = { proxy: 4001, control: 4002 };

test('every host has the usual ports, or the one that is named; srt knows none without a dot', () => {
  expect(srtSettings(places, policy, ways, 'darwin')).toMatchObject({
    network: {
      allowedDomains: [
        ...['api.example.com:443', 'api.example.com:80', '*.example.org:443', '*.example.org:80', 'example.net:8443'],
      ],
      strictAllowlist: true,
    },
  });
});

test('the way out is our proxy, and the control server has a port of its own', () => {
  const network = { httpProxyPort: 4001, socksProxyPort: 4002, allowLocalBinding: false };
  expect(srtSettings(places, policy, ways, 'darwin')).toMatchObject({ network });
  const alone = srtSettings(places, policy, { ...ways, control: null }, 'darwin');
  expect(alone).toMatchObject({ network: { socksProxyPort: 4001 } });
});

test('the loopback is opened only where the person asked for a port of it', () => {
  expect(srtSettings(places, { ...policy, localPorts: [5432] }, ways, 'darwin')).toMatchObject({
    network: { allowLocalBinding: true },
  });
});

test('sockets are those below what may be written, where rules can tell them apart', () => {
  const network = (platform: NodeJS.Platform) =>
    (srtSettings(places, policy, ways, platform) as { network: Record<string, unknown> }).network;
  expect(network('darwin')).toMatchObject({ allowUnixSockets: ['/project', '/state/home'] });
  expect(network('darwin')).not.toHaveProperty('allowAllUnixSockets');
  expect(network('linux')).toMatchObject({ allowAllUnixSockets: true });
});

test('what may be touched is told as it is', () => {
  expect(srtSettings(places, policy, ways, 'darwin')).toMatchObject({
    filesystem: {
      denyRead: ['/home/una'],
      allowRead: ['/home/una/.nvm'],
      allowWrite: ['/project', '/state/home'],
      denyWrite: ['/project/.ralph/config.json'],
    },
  });
});
