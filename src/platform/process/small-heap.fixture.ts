import { getHeapSpaceStatistics } from 'node:v8';
import { keepHeapSmall } from './self.ts';

if (process.argv[2] === 'small') keepHeapSmall();
const kept: object[] = [];
for (let at = 0; at < 2_000_000; at++) kept[at % 2000] = { at, text: `x${at}` };
const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
process.stdout.write(String((young?.space_size ?? 0) / 1e6));
