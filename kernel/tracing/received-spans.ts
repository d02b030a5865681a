// Reads the spans that another thread or process has sent, and believes none of it: a process may have a library that went astray.
import { isRecord } from '../record.ts';
import type { EndedSpan } from './span.ts';

const MAX_NAME = 256;
const MAX_VALUE = 1_024;
const MAX_ATTRIBUTES = 64;
const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;
const KINDS: ReadonlySet<unknown> = new Set(['internal', 'server', 'client']);

/** @returns those that are spans */
export function readSpans(value: unknown): readonly EndedSpan[] {
  return Array.isArray(value) ? (value.filter(isSpan) as readonly EndedSpan[]) : [];
}

export function readCount(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}

function isSpan(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { traceId, spanId, parentId, isRemoteParent, state, name, kind, startMs, endMs, attributes, error } = value;
  const hasPlace = matches(TRACE_ID, traceId) && matches(SPAN_ID, spanId) && (parentId === undefined || matches(SPAN_ID, parentId));
  const hasTimes = isTime(startMs) && isTime(endMs) && typeof isRemoteParent === 'boolean';
  const hasNames = isText(name, MAX_NAME) && isText(state, MAX_VALUE) && KINDS.has(kind) && (error === undefined || isText(error, MAX_NAME));
  return (
    hasPlace && hasTimes && hasNames && isRecord(attributes) && Object.keys(attributes).length <= MAX_ATTRIBUTES && Object.values(attributes).every(isValue)
  );
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isText(value: unknown, max: number): boolean {
  return typeof value === 'string' && value.length <= max;
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Number.MAX_SAFE_INTEGER;
}

function isValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= MAX_ATTRIBUTES && value.every((each) => isText(each, MAX_VALUE));
  return isText(value, MAX_VALUE) || typeof value === 'boolean' || Number.isFinite(value);
}
