/** Runs a command behind the bridge, on ports of the test's choice: `program SOCKETS PORTS-AS-JSON PROCESSES FILE ARGS…`. */
import { BridgeFailed, runBridged } from './sockets.ts';

const [sockets = '', ports = '{}', processes = '0', file = '', ...args] = process.argv.slice(2);
const numbers = new Map(Object.entries(JSON.parse(ports) as Record<string, number>));
runBridged({ sockets, ports: numbers, processes: Number(processes), file, args }).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(error instanceof BridgeFailed ? error.exitCode : 1);
  },
);
