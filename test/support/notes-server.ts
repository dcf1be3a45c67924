/**
 * An MCP server with one tool, `say`, on standard input and output; `answer` serves HTTP as well. It says the variable
 * GREETING and its first argument, and in how many places it found the key that a second argument gives in hex.
 */
export const NOTES_SERVER = `exports.answer = ({ method, params }, says) => {
  if (method === 'tools/list') return { tools: [{ name: 'say', description: 'Says it.', inputSchema: { type: 'object' } }] };
  if (method === 'tools/call') return { content: [{ type: 'text', text: says() }] };
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } };
};
const says = () => process.env.GREETING + ' ' + process.argv[2] + (process.argv[3] ? search() : '');
// Looks for a key, which it is told in hex, wherever something inside could read it.
const fs = require('fs'), key = Buffer.from(process.argv[3] || '', 'hex');
function search(read = 0, found = 0) {
  const look = (path) => { try { found += fs.readFileSync(path).includes(key) ? 1 : 0; read += 1; } catch {} };
  const walk = (folder) => {
    try {
      for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
        entry.isDirectory() ? walk(folder + '/' + entry.name) : entry.isFile() && look(folder + '/' + entry.name);
    } catch {}
  };
  for (const folder of ['/tmp', process.env.HOME, process.cwd()]) walk(folder);
  for (const pid of fs.readdirSync('/proc')) for (const name of ['environ', 'cmdline']) look('/proc/' + pid + '/' + name);
  return (read > 9 ? ' searched' : ' saw nothing') + ' and found ' + found;
}
if (require.main === module)
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.id !== undefined)
      console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: exports.answer(message, says) }));
  });
`;
