import type { Attempt } from '../attempt.ts';

/** Connects to those of these sockets that are there; one that answers or takes text is a door. */
const knock = (...paths: readonly string[]) => `
  const paths = ${JSON.stringify(paths)}
    .map((path) => path.replace(/^\\$(\\w+)/, (_, name) => process.env[name] || '/nowhere'))
    .map((path) => path.replace('*', String(process.getuid())));
  for (const path of paths) {
    const answer = await say({ path }, mark);
    if (answer === CONNECTED || !/^E[A-Z]+$/.test(answer)) escaped('a socket takes connections: ' + path);
    else console.log(path, answer);
  }`;

/** Sockets by which programs of the host do things for whoever asks. */
export const SOCKETS: readonly Attempt[] = [
  {
    id: 'socket-file',
    category: 'sockets',
    attempt: 'connect to a Unix socket outside the work tree',
    by: 'node',
    script: knock('$DOOR', '/proc/1/root$DOOR'),
  },
  {
    id: 'socket-abstract',
    category: 'sockets',
    attempt: 'connect to an abstract Unix socket, which no file guards',
    by: 'node',
    script: "if (process.env.ABSTRACT) console.log(await say({ path: '\\0' + process.env.ABSTRACT }, mark));",
  },
  {
    id: 'socket-engine',
    category: 'sockets',
    attempt: 'reach a container engine',
    by: 'node',
    script: knock(
      ...['/var/run/docker.sock', '/run/docker.sock', '/run/podman/podman.sock', '/run/containerd/containerd.sock'],
      ...['/run/user/*/docker.sock', '/run/user/*/podman/podman.sock', '$REAL_HOME/.docker/run/docker.sock'],
    ),
  },
  {
    id: 'socket-keys',
    category: 'sockets',
    attempt: "use the person's ssh or gpg agent",
    by: 'node',
    script: knock(
      ...['$SSH_AUTH_SOCK', '$AGENT_OF_PERSON', '/run/user/*/gnupg/S.gpg-agent', '/run/user/*/keyring/ssh'],
      ...['/run/user/*/ssh-agent.socket', '$REAL_HOME/.gnupg/S.gpg-agent'],
    ),
  },
  {
    id: 'socket-desktop',
    category: 'sockets',
    attempt: "reach the person's desktop: session bus, display, sound",
    by: 'node',
    script: knock(
      ...['/run/user/*/bus', '/run/user/*/wayland-0', '/run/user/*/pipewire-0', '/run/user/*/pulse/native'],
      ...['/tmp/.X11-unix/X0', '/tmp/.X11-unix/X1', '\0/tmp/.X11-unix/X0', '\0/tmp/.ICE-unix/1'],
    ),
  },
  {
    id: 'socket-system',
    category: 'sockets',
    attempt: 'reach services of the system: bus, service manager, log',
    by: 'node',
    script: knock(
      ...['/run/dbus/system_bus_socket', '/run/systemd/private', '/run/systemd/journal/stdout', '/run/udev/control'],
      ...['/run/snapd.socket', '/run/lvm/lvmpolld.socket', '/run/user/*/systemd/private', '/var/run/nscd/socket'],
    ),
  },
];
