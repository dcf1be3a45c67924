/**
 * The first program of a sandbox: `node inside.cjs --sockets DIR --ports 41234,5432 --processes N -- FILE ARGS…`.
 * Bundled as one file without dependencies, because it is read at every start of a sandbox.
 */
import { parseArgs } from 'node:util';
import { BridgeFailed, runBridged } from './platform/index.ts';

/** Where programs inside find the egress proxy, and its socket; must match `adapters/isolation/view/environment.ts`. */
const EGRESS = ['egress.sock', 3128] as const;

main().then(
  // Even with connections still open: what the command left behind ends with the sandbox.
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`ralph sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof BridgeFailed ? error.exitCode : 125);
  },
);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { sockets: { type: 'string' }, ports: { type: 'string' }, processes: { type: 'string' } },
    allowPositionals: true,
  });
  const { sockets, ports = '', processes = '0' } = values;
  const [file, ...args] = positionals;
  if (sockets === undefined || file === undefined) throw new BridgeFailed('needs --sockets DIR -- FILE ARGS…', 125);
  const numbers = ports
    .split(',')
    .filter((text) => text !== '')
    .map(Number);
  return runBridged({
    sockets,
    ports: new Map([EGRESS, ...numbers.map((port) => [`${port}.sock`, port] as const)]),
    processes: Number(processes),
    file,
    args,
  });
}
