// Whether the CPU sums products of eight bits exactly, which instructions called VNNI do. ONNX Runtime does so without them if it is told, in 1.6 times the time.
import { readFileSync } from 'node:fs';

/** As Linux calls them: of 512 bits, and of 256. */
const VNNI = /^flags\s*:.*\b(avx512_vnni|avx_vnni)\b/m;

/**
 * @param arch of the CPU: others than x64 have no such sums
 * @param about what the system tells of the CPU
 * @returns false also where nobody tells
 */
export function sumsExactly(arch: string = process.arch, about: string = cpuInfo()): boolean {
  return arch !== 'x64' || VNNI.test(about);
}

function cpuInfo(): string {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    // Another system.
    return '';
  }
}
