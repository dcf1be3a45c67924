/** `ralph mcp` alone: started by tests as an MCP client would start it. */
import { processIo } from '../surfaces/terminal/io.ts';
import { mcp } from './mcp.ts';

process.exitCode = await mcp([], {}, processIo());
