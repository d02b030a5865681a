// Chromium for a test: one browser, pages that trust the test server's certificate, and what each page complained of.
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from './system.ts';

/** Nothing that reaches out by itself, and no sandbox: tests run as root in containers. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: ARGS });
}

export interface OpenPage {
  readonly page: Page;
  /** Errors and warnings of the console, exceptions, and violations of the content security policy. */
  readonly complaints: string[];
  /** Addresses outside `address` that the page tried to load. */
  readonly strayed: string[];
}

export async function openPage(browser: Browser, address: string, options: { width?: number; height?: number; dark?: boolean } = {}): Promise<OpenPage> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width: options.width ?? 1_000, height: options.height ?? 800 },
    colorScheme: options.dark ? 'dark' : 'light',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const strayed: string[] = [];
  // Chromium asks for an icon of its own accord where a page names none, as the JSON of an endpoint does, and at a moment of its own.
  const isIcon = (url: string) => url.endsWith('/favicon.ico');
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !isIcon(message.location().url) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => request.url().startsWith(`${address}/`) || strayed.push(request.url()));
  return { page, complaints, strayed };
}
