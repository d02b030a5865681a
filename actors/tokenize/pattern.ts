// The method word-pattern-mask: replaces every match of a pattern, with an engine that never backtracks.
import { RE2JS } from 're2js';
import { isLonger } from '../../text/code-points.ts';
import type { Members } from './members.ts';
import { refuse } from './refuse.ts';

const MAX_PATTERN_CHARACTERS = 1_024;
/** A long replacement and a pattern that matches everywhere could fill the memory. */
const MAX_RESULT_CHARACTERS = 4_194_304;

export function wordPatternMask(members: Members): string {
  const data = members.text('data');
  const replace = members.text('replace');
  const pattern = members.text('pattern');
  if (isLonger(pattern, MAX_PATTERN_CHARACTERS)) refuse(`pattern: has more than ${MAX_PATTERN_CHARACTERS} characters`);
  return JSON.stringify(replaceAll(compile(pattern), data, replace));
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return refuse(`pattern: ${(error as Error).message}`);
  }
}

/** The replacement is inserted literally. An empty match directly after another match does not count. */
function replaceAll(pattern: RE2JS, data: string, replace: string): string {
  const matcher = pattern.matcher(data);
  const parts: string[] = [];
  let length = data.length;
  let end = -1;
  let copied = 0;
  while (matcher.find()) {
    const start = matcher.start();
    if (start === end && matcher.end() === start) continue;
    end = matcher.end();
    length += replace.length - (end - start);
    if (length > MAX_RESULT_CHARACTERS) refuse(`the result has more than ${MAX_RESULT_CHARACTERS} characters`);
    parts.push(data.slice(copied, start), replace);
    copied = end;
  }
  parts.push(data.slice(copied));
  return parts.join('');
}
