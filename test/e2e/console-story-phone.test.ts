// The story of a team on the console in Chromium, by keyboard alone, on a phone, in light and dark.
import type { Browser } from 'playwright-core';
import { test } from 'uvu';
import { openBrowser } from '../browser.ts';
import { skipWithout } from '../system.ts';
import { tell } from './console-day.ts';

let browser: Browser;

if (!skipWithout('chromium')) {
  test.before(async () => {
    browser = await openBrowser();
  });
  test.after(() => browser?.close());

  test('the story of a team by keyboard, at 360 pixels in light', () => tell(browser, 360, false));
  test('the story of a team by keyboard, at 360 pixels in the dark', () => tell(browser, 360, true));
}

test.run();
