/** Where srt's own relays listen inside on Linux, where the loopback is not the host's. */
const LINUX_PROXY = 3128;

/** srt names its proxies in all of these; ours is one for HTTP. */
const FOREIGN =
  'ALL_PROXY all_proxy FTP_PROXY ftp_proxy RSYNC_PROXY GRPC_PROXY grpc_proxy DOCKER_HTTP_PROXY DOCKER_HTTPS_PROXY ' +
  'CLOUDSDK_PROXY_TYPE CLOUDSDK_PROXY_ADDRESS CLOUDSDK_PROXY_PORT GIT_SSH_COMMAND GIT_CONFIG_PARAMETERS';

/**
 * The shell script that runs inside, before the command and around it. Its arguments are the command's.
 *
 * srt reports a command that died of a signal as ended well; the shell's exit code tells of the signal. TERM is left to
 * the command, which may want to end by itself.
 *
 * @param relays on Linux: loopback ports, each joined to `<folder>/<port>.sock` of the gateway
 */
export function insideScript(input: {
  readonly platform: NodeJS.Platform;
  readonly proxy: number;
  readonly temp: string;
  readonly relays: { readonly folder: string; readonly ports: readonly number[] };
}): string {
  const { platform, proxy, temp, relays } = input;
  const address = `http://127.0.0.1:${platform === 'linux' ? LINUX_PROXY : proxy}`;
  return [
    `unset ${FOREIGN}`,
    `export HTTP_PROXY=${address} HTTPS_PROXY=${address} http_proxy=${address} https_proxy=${address}`,
    'export NO_PROXY=127.0.0.1,localhost,::1 no_proxy=127.0.0.1,localhost,::1',
    `export TMPDIR=${quoted(temp)}`,
    ...relays.ports.map((port) => relay(port, `${relays.folder}/${port}.sock`)),
    'trap : TERM INT HUP',
    '"$@"',
    'exit $?',
  ].join('\n');
}

function relay(port: number, socket: string): string {
  return `socat TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${quoted(socket)} </dev/null >/dev/null 2>&1 &`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
