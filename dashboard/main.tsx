import { render } from 'preact';
import { takeControlToken } from './api.ts';
import { App } from './app.tsx';
import { followAddress } from './route.ts';
import { listenToKeys } from './state/keys.ts';
import { startClock } from './state/page.ts';
import { followTheme } from './state/theme.ts';

takeControlToken();
followTheme();
followAddress();
startClock();
listenToKeys();

const place = document.getElementById('app');
if (place !== null) render(<App />, place);
