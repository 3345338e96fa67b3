import { publicPart } from '../../domain/urls/hidden.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { readHardwareData } from '../../kube/objects/hardwaredata.ts';
import { ownerOf, readMetadata } from '../../kube/objects/metadata.ts';
import { readMetal3Machine } from '../../kube/objects/metal3machine.ts';
import { endpointsOf, withKube } from '../access.ts';
import { everyObject, type Looking } from '../every-object.ts';
import { DONE, type Out, print, printable, REFUSED } from '../out.ts';
import { table } from '../table.ts';
import { type HostMarks, markNamed, uniqueMarkNamed } from './match.ts';
import type { FindRequest } from './options.ts';

/** A host that was found. Plain JSON: this is what `--output json` prints. */
export interface FoundHost {
  readonly namespace: string;
  readonly name: string;
  /** Absent: the text is known from another object than the host. */
  readonly state?: string;
  readonly consumer?: string;
  /** Which of its marks the text is. */
  readonly by: string;
}

/** Prints the hosts that are known by the text. Returns the exit code. */
export async function findHosts(request: FindRequest, out: Out): Promise<number> {
  const { wanted, namespace, output, dir } = request;
  return withKube(endpointsOf(dir), async (kube) => {
    const note = (why: string): void => out.aside(`temper: not looked at: ${why}`);
    const found = await hostsKnownBy(wanted, { kube, namespace, note });
    if (output === 'json' || found.length > 0) print(out, output, found, foundLines);
    if (found.length === 0) out.aside(`temper: no host is known by ${printable(wanted)}`);
    return found.length === 0 ? REFUSED : DONE;
  });
}

export const foundLines = (found: readonly FoundHost[]): readonly string[] =>
  table(
    ['NAMESPACE', 'HOST', 'STATE', 'CONSUMER', 'FOUND BY'],
    found.map(({ namespace, name, state = '', consumer = '', by }) => [namespace, name, state, consumer, by]),
  );

/**
 * Reads all hosts, page by page. Their HardwareData and the machines are read too, unless the text is a mark that one
 * host alone has.
 */
export async function hostsKnownBy(wanted: string, looking: Looking): Promise<readonly FoundHost[]> {
  const found: FoundHost[] = [];
  let isUnique = false;
  for await (const object of everyObject(looking, KINDS.host)) {
    const marks = marksOf(object);
    const by = markNamed(marks, wanted);
    if (by !== undefined) found.push(foundHost(object, by));
    isUnique ||= uniqueMarkNamed(marks, wanted) !== undefined;
  }
  if (isUnique) return found;
  const add = (host: FoundHost): void => {
    if (!found.some(({ namespace, name }) => namespace === host.namespace && name === host.name)) found.push(host);
  };
  for await (const object of everyObject(looking, KINDS.hardwareData)) {
    const { metadata, macs, serialNumber } = readHardwareData(object);
    const by = uniqueMarkNamed({ ...NO_MARKS, macs, serialNumber }, wanted);
    if (by === undefined) continue;
    add({ namespace: metadata.namespace, name: metadata.name, by: `${by}, in its HardwareData` });
    isUnique = true;
  }
  if (isUnique) return found;
  for await (const object of everyObject(looking, KINDS.metal3Machine, 'metadata')) {
    const metadata = readMetadata(object);
    if (ownerOf(metadata, KINDS.machine, wanted) === undefined) continue;
    const name = readMetal3Machine(object).host;
    const { namespace } = metadata;
    if (name !== undefined)
      add({ namespace, name, by: `the Machine ${wanted}, by its Metal3Machine ${metadata.name}` });
  }
  return found;
}

const NO_MARKS: HostMarks = { name: '', uid: '', nodeId: '', bmcAddress: '', macs: [], serialNumber: '', consumer: '' };

function marksOf(object: unknown): HostMarks {
  const { metadata, spec, nodeId, bmcAddress, nics = [], systemVendor } = readHost(object);
  return {
    name: metadata.name,
    uid: metadata.uid,
    nodeId,
    bmcAddress: publicPart(bmcAddress),
    macs: [spec.bootMACAddress ?? '', ...nics.map(({ mac = '' }) => mac)],
    serialNumber: systemVendor.serialNumber ?? '',
    consumer: spec.consumerRef?.name ?? '',
  };
}

function foundHost(object: unknown, by: string): FoundHost {
  const { metadata, status, spec } = readHost(object);
  const { kind = '', name = '' } = spec.consumerRef ?? {};
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    state: status.state,
    ...(name !== '' && { consumer: `${kind} ${name}`.trim() }),
    by,
  };
}
