import { engineContract } from '../contract.fixture.ts';
import { openLocalEngine } from './open.ts';

engineContract('the scheduler in this process', async (options) => openLocalEngine(options));
