import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { stringify } from 'yaml';
import { z } from 'zod';

/** The API server writes each request of the service accounts of these namespaces to its audit log. */
const AUDITED_NAMESPACES = ['temper-system', 'capm3-system'];

/** The variable with the folder for the audit logs of all labs of a run of tests; the folder outlives the labs. */
export const AUDIT_FOLDER = 'TEMPER_AUDIT_FOLDER';

/** Path of the audit log of a lab. */
export const auditLogOf = (dir: string, env: NodeJS.ProcessEnv = process.env): string => {
  const folder = env[AUDIT_FOLDER];
  return folder === undefined ? join(dir, 'logs', 'kube-apiserver-audit.log') : join(folder, `${basename(dir)}.log`);
};

const OURS = AUDITED_NAMESPACES.map((namespace) => `system:serviceaccounts:${namespace}`);

/** The policy that logs who did what to which object, with which answer, but not the contents of objects. */
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', userGroups: OURS }, { level: 'None' }],
};

/** The rule that also logs the hosts that bridge and workers read one by one. */
const READS = {
  level: 'RequestResponse',
  userGroups: OURS,
  verbs: ['get'],
  resources: [{ group: 'metal3.io', resources: ['baremetalhosts'] }],
};

/** The rule that also logs the contents of all writes to hosts, machines and fixture machines. */
const CONTENTS = {
  level: 'RequestResponse',
  verbs: ['create', 'update', 'patch', 'delete'],
  resources: [
    { group: 'metal3.io', resources: ['baremetalhosts', 'baremetalhosts/status'] },
    { group: 'infrastructure.cluster.x-k8s.io', resources: ['metal3machines'] },
    { group: '', resources: ['configmaps'] },
  ],
};

/** `contents`: the log is one file, and also has the contents of hosts and machines, and of each host that is read. */
export interface AuditOptions {
  readonly contents?: boolean;
}

/** Writes the policy of the audit log, and returns the options of an API server that uses it. */
export function auditArgs(dir: string, { contents = false }: AuditOptions = {}): readonly string[] {
  const policy = join(dir, 'audit-policy.yaml');
  const log = auditLogOf(dir);
  for (const file of [policy, log]) mkdirSync(dirname(file), { recursive: true });
  writeFileSync(policy, stringify(contents ? { ...POLICY, rules: [CONTENTS, READS, ...POLICY.rules] } : POLICY));
  // A lab that runs for days keeps the last requests; a run of tests keeps all.
  const isKept = contents || process.env[AUDIT_FOLDER] !== undefined;
  const limits = isKept ? ['--audit-log-maxsize=10000'] : ['--audit-log-maxsize=50', '--audit-log-maxbackup=1'];
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, ...limits];
}

const event = z.object({
  stage: z.string(),
  verb: z.string(),
  requestURI: z.string(),
  requestReceivedTimestamp: z.string(),
  user: z.object({ username: z.string() }),
  objectRef: z
    .object({
      apiGroup: z.string().default(''),
      resource: z.string().default(''),
      subresource: z.string().optional(),
      namespace: z.string().default(''),
      name: z.string().default(''),
    })
    .optional(),
  responseStatus: z.object({ code: z.number() }).optional(),
  annotations: z.record(z.string(), z.string()).default({}),
});

/** One request to the API server, as its audit log has it. */
export interface AuditedRequest {
  /** For example `system:serviceaccount:temper-system:temper-bridge`. */
  readonly user: string;
  readonly verb: string;
  readonly path: string;
  /** When it was received. */
  readonly time: string;
  /** Empty for the core group, and for paths without an object. */
  readonly group: string;
  /** `resource` or `resource/subresource`; empty for paths without an object. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent when the server ended before it answered. */
  readonly code?: number;
  /** RBAC refused it. */
  readonly isForbidden: boolean;
}

/** The requests in an audit log, in the order of their answers; a watch is listed when it begins. */
export async function* auditedRequests(file: string): AsyncGenerator<AuditedRequest, void, undefined> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const read = event.safeParse(wholeLine(line));
    if (!read.success || isEndOfWatch(read.data)) continue;
    yield requestOf(read.data);
  }
}

/** A killed API server leaves an incomplete line. */
function wholeLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const isEndOfWatch = ({ verb, stage }: z.infer<typeof event>): boolean =>
  verb === 'watch' && stage === 'ResponseComplete';

function requestOf(one: z.infer<typeof event>): AuditedRequest {
  const { apiGroup = '', resource = '', subresource, namespace = '', name = '' } = one.objectRef ?? {};
  return {
    user: one.user.username,
    verb: one.verb,
    path: one.requestURI,
    time: one.requestReceivedTimestamp,
    group: apiGroup,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    ...(one.responseStatus !== undefined && { code: one.responseStatus.code }),
    isForbidden: one.annotations['authorization.k8s.io/decision'] === 'forbid',
  };
}
