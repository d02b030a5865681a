// The numbers of the ports that a front has opened, which the others then share.
import type { FrontAddresses } from './front-task.ts';
import type { BoundPorts } from './ports.ts';

export function boundOf({ address, listeners }: FrontAddresses): BoundPorts {
  return { https: portIn(address), listeners: new Map([...listeners].map(([name, where]) => [name, portIn(where)])) };
}

function portIn(address: string): number {
  return Number(/:(\d+)$/.exec(address)?.[1]);
}
