/**
 * Plays attempts of the escape battery in bwrap and prints their rows as JSON: `tsx battery.ts ID,ID…`. Unlike
 * `ralph sandbox status --deep` it does not ask first whether bwrap's claims hold: they do not, without a protection.
 */
import { tryToGetOut } from '../../src/commands/sandbox/examine.ts';

const { PATH = '', HOME = '', LANG = '' } = process.env;
const environment = { PATH, HOME, LANG };
const container = { engine: null, image: null, args: [] };
const rows = await tryToGetOut('bwrap', { environment, container }, environment, process.argv[2]?.split(','));
process.stdout.write(JSON.stringify({ rows }));
