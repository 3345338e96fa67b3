/** The faults of `docs/finding-faults.md`: how they come about, and how a person finds and mends them. */

export interface Fault {
  readonly title: string;
  /** What nobody knows yet, in a sentence. */
  readonly happened: string;
  readonly alert: string;
  /** The host of which `temper explain` tells the cause. */
  readonly host: string;
  /** How it comes about; the page does not show it. */
  readonly steps: readonly Step[];
  /** What `kubectl get bmh -o wide` prints before anybody looks, if it shows the fault. */
  readonly shows?: RegExp;
  /** The remedy, from what `temper explain` has printed. */
  readonly remedy: (explained: string) => readonly Step[];
  /** What is waited for at the end. */
  readonly wait: string;
}

/** A command, or something that happens to a server of the lab. */
export type Step =
  | { readonly run: string; readonly mayFail?: boolean }
  | { readonly server: string; readonly does: 'ends' | 'starts' };

/** A command that the explanation has, with words of the reader in it. */
function advised(explained: string, begin: string, words: Readonly<Record<string, string>> = {}): Step {
  const line = explained.split('\n').find((each) => each.trim().startsWith(begin));
  if (line === undefined) throw new Error(`the explanation has no command that begins with ${begin}: ${explained}`);
  const command = Object.entries(words).reduce((text, [word, by]) => text.replaceAll(word, by), line.trim());
  return { run: command };
}

const state = (host: string, wanted: string): string =>
  `kubectl wait bmh ${host} --for=jsonpath='{.status.provisioning.state}'=${wanted} --timeout=5m`;
/** The image of host-1, changed by a filter of jq. */
const deploy = (host: string, filter = '.'): string =>
  `image=$(kubectl get bmh host-1 -o json | jq -c '.spec.image | ${filter}'); ` +
  `kubectl patch bmh ${host} --type=merge -p "{\\"spec\\":{\\"online\\":true,\\"image\\":$image}}"`;

/** As in the tutorial. */
const ADDED = `read -r _ _ _ bmc _ mac _ <<< "$(npx temper lab machines | grep lab-0010)"
kubectl create secret generic my-host-bmc --from-literal=username=admin --from-literal=password=wrong
kubectl apply -f - <<HOST
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {name: my-host}
spec:
  online: true
  bootMACAddress: "$mac"
  bmc: {address: "$bmc", credentialsName: my-host-bmc}
HOST`;

/** When the faults begin, the hosts of the example are as they should be. */
export const AT_FIRST: readonly string[] = [
  ...['host-1', 'host-2', 'host-3'].map((host) => state(host, 'provisioned')),
  ...['host-4', 'host-5'].map((host) => state(host, 'available')),
];

export const FAULTS: readonly Fault[] = [
  {
    title: 'A wrong password',
    happened: 'Somebody has added my-host, with a wrong password in the Secret of its BMC.',
    alert: 'TemperHostsFailing',
    host: 'my-host',
    steps: [{ run: ADDED }],
    shows: /my-host .*\b401\b/,
    remedy: (explained) => [
      advised(explained, 'kubectl -n default patch secret', { USER: 'admin', PASSWORD: 'password' }),
    ],
    wait: state('my-host', 'available'),
  },
  {
    title: 'A held image',
    happened: 'host-4 asks for approvals before it is erased. Somebody has given it an image, and told nobody.',
    alert: 'TemperApprovalNeeded',
    host: 'host-4',
    steps: [{ run: 'kubectl annotate bmh host-4 temper/approval=erase' }, { run: deploy('host-4') }],
    shows: /host-4 .*waiting for approval/,
    remedy: (explained) => [
      { run: `kubectl auth whoami -o jsonpath='{.status.userInfo.username}{"\\n"}'` },
      advised(explained, 'kubectl -n default annotate --overwrite bmh host-4 temper/approval-given', {
        USER: 'lab-admin',
        WHY: 'the image is what we want',
      }),
    ],
    wait: state('host-4', 'provisioned'),
  },
  {
    title: 'An outage of Temporal',
    happened: 'The process of Temporal has ended. Meanwhile somebody has taken the image off host-4.',
    alert: 'TemperTemporalDoesNotAnswer',
    host: 'host-4',
    steps: [
      { server: 'temporal', does: 'ends' },
      {
        run: `kubectl annotate bmh host-4 temper/approval- && kubectl patch bmh host-4 --type=json -p '[{"op":"remove","path":"/spec/image"}]'`,
      },
    ],
    shows: /host-4 .*waits for Temporal/,
    remedy: (explained) => [
      { ...advised(explained, 'npx temper temporal operator cluster health'), mayFail: true },
      { server: 'temporal', does: 'starts' },
      advised(explained, 'npx temper temporal operator cluster health'),
    ],
    wait: state('host-4', 'available'),
  },
  {
    title: 'A paused run',
    happened: "Somebody has paused the run of host-2 in Temporal's Web UI. Then its server was to be powered off.",
    alert: 'TemperRunsPaused',
    host: 'host-2',
    steps: [
      {
        run: "npx temper temporal workflow pause --workflow-id baremetalhost/default/host-2 --reason 'I look at it' --identity ada@laptop",
      },
      { run: `kubectl patch bmh host-2 --type=merge -p '{"spec":{"online":false}}'` },
    ],
    shows: /host-2 .*was paused in Temporal/,
    remedy: (explained) => [advised(explained, 'npx temper temporal workflow unpause')],
    wait: `kubectl wait bmh host-2 --for=jsonpath='{.status.poweredOn}'=false --timeout=5m`,
  },
  {
    title: 'A failing image',
    happened: 'Somebody has given host-5 an image, with a wrong name in its URL.',
    alert: 'TemperHostsFailing',
    host: 'host-5',
    steps: [{ run: deploy('host-5', '.url |= sub("-16MiB"; "")') }],
    shows: /host-5 .*\b404\b/,
    remedy: () => [
      { run: `KUBE_EDITOR='sed -i s/ubuntu-24.04.raw/ubuntu-24.04-16MiB.raw/' kubectl -n default edit bmh host-5` },
    ],
    wait: state('host-5', 'provisioned'),
  },
];
