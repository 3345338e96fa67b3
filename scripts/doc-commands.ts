/** The test that runs a block of commands: with `recordCommands`, it fails when it leaves out a line. */
interface Tested {
  readonly by: string;
  /** Only `npm run test:nightly` runs it. */
  readonly atNight?: true;
  /** Why the lines that begin like this are not run. */
  readonly except?: Readonly<Record<string, string>>;
}
/** Why no test runs the block. */
interface Untested {
  readonly not: string;
}

const by = (test: string, more: Omit<Tested, 'by'> = {}): Tested => ({ by: test, ...more });
const not = (why: string): Untested => ({ not: why });

const APPROVALS = by('test/e2e/approvals.test.ts');
const CLUSTERCTL = by('test/e2e/clusterctl.test.ts');
const COMPLETION = by('cli/completion/completion.test.ts');
const DISCOVERY = by('test/e2e/discovery.test.ts');
const EXPLAIN = by('test/e2e/explain.test.ts');
const HELM = by('test/nightly/helm.test.ts');
const HOSTS = by('test/e2e/steered-hosts.test.ts');
const KUBELETS = by('test/nightly/kubelets.test.ts', { atNight: true });
const LAB_PAGES = by('test/nightly/lab-pages.test.ts');
const MACHINE_API = by('test/e2e/machine-api.test.ts');
const MACHINES = by('test/e2e/steered-machines.test.ts');
const MIGRATION = by('test/integration/migration.test.ts');
const STARTS = by('test/nightly/starts.test.ts');
const TUTORIAL = by('test/e2e/start.test.ts');
const VERSIONS = by('test/e2e/worker-versions.test.ts');

const BENCH = not('it is a benchmark: docs/bench.md has the results of its runs');
const FLEET = not('addresses and names are of your fleet: each command has unit tests in cli/');
const NO_REGISTRY = not('no registry of images can be reached where Temper is developed');
const NO_PODS = 'no Pod runs in the lab: there is no kubelet and no container engine';

/** The blocks of commands of the documents, by page and the beginning of their first line, and who runs them. */
export const DOC_COMMANDS: Readonly<Record<string, Readonly<Record<string, Tested | Untested>>>> = {
  'CHANGELOG.md': {
    'kubectl delete deployment -n temper-system -l app.kubernetes.io/name=temper': not(NO_PODS),
    "temporal workflow terminate --query 'ExecutionStatus = \"Running\"' --reason 'upgrade to 0.1.0' --yes": not(
      'it needs a lab of an earlier commit: test/e2e/lost-databases.test.ts begins all runs anew from their objects',
    ),
  },
  'README.md': {
    'git clone <this repository> temper && cd temper': not(
      'the address is to be filled in: test/e2e/start.test.ts runs npm start in a new checkout',
    ),
    'npm test': not('a test that it runs would never end'),
    'export KUBECONFIG=$PWD/.lab/kubeconfig': STARTS,
    'kubectl get clusters,machines,metal3machines,metal3datas': STARTS,
    'npx temper temporal workflow list': STARTS,
  },
  'deploy/README.md': {
    'npm ci': by('test/integration/docker-page.test.ts', {
      except: {
        'npm ci':
          'it replaces node_modules, with which the test itself runs: scripts/setup.mjs runs it in each new checkout',
      },
    }),
    'docker compose up --build --detach': not(NO_PODS),
    'kind get kubeconfig --internal': not(NO_PODS),
  },
  'docs/addresses.md': { 'kubectl get ippools': STARTS },
  'docs/approvals.md': {
    'kubectl -n $namespace annotate bmh $host temper/approval=erase': APPROVALS,
    'kubectl -n $namespace annotate bmh $host temper/approval-window=': APPROVALS,
    'kubectl annotate namespace $namespace temper/approval-budget=': APPROVALS,
    'kubectl annotate namespace $namespace temper/approval- ': APPROVALS,
    'kubectl -n $namespace get bmh $host -o jsonpath': APPROVALS,
    'npx temper reject host $host': APPROVALS,
    'npx temper reject machine $machine': APPROVALS,
    'user=$(kubectl auth whoami': APPROVALS,
    'temporal workflow update execute': APPROVALS,
    'kubectl create clusterrolebinding approvers': by('test/e2e/approval-rights.test.ts'),
  },
  'docs/bench.md': {
    'npm run bench -- --hosts 20 --rounds 3 --json bench.json': BENCH,
  },
  'docs/clusterctl.md': {
    'npm run package': CLUSTERCTL,
    'clusterctl --config dist/clusterctl.yaml init': CLUSTERCTL,
    'cat >> dist/clusterctl.yaml': CLUSTERCTL,
    'export CLUSTERCTL_DISABLE_VERSIONCHECK': CLUSTERCTL,
    'clusterctl --config dist/clusterctl.yaml move': CLUSTERCTL,
  },
  'docs/command-line.md': {
    'kubectl krew install --manifest=dist/krew/temper.yaml': by('test/nightly/krew.test.ts'),
    'source <(temper completion bash)': COMPLETION,
    "printf '#!/bin/sh": COMPLETION,
  },
  'docs/discovery.md': {
    'kubectl get bmh -l temper.metal3.io/discovered=true': DISCOVERY,
    'kubectl create secret generic "$HOST-bmc"': DISCOVERY,
    'kubectl wait bmh "$HOST"': DISCOVERY,
    'kubectl delete bmh "$HOST"': DISCOVERY,
    'curl --fail': DISCOVERY,
  },
  'docs/explain.md': {
    'npx temper explain host $host -n $namespace': EXPLAIN,
    'npx temper explain machine $machine -n $namespace': EXPLAIN,
    'npx temper explain cluster $cluster -n $namespace': EXPLAIN,
    'npx temper explain host $host -n $namespace --output json': EXPLAIN,
    'npx temper plan host $host -n $namespace': EXPLAIN,
    'npx temper plan -n $namespace -f $manifest': EXPLAIN,
    'npx temper plan host $host -n $namespace --delete': EXPLAIN,
    'npx temper plan machine $machine -n $namespace': EXPLAIN,
    'npx temper history host $host -n $namespace': EXPLAIN,
    'npx temper history machine $machine -n $namespace': EXPLAIN,
    'npx temper history host $host -n $namespace --objects-only --output json': EXPLAIN,
    'ln -s "$PWD/scripts/temper.mjs" $bin/kubectl-temper': EXPLAIN,
  },
  'docs/fleet.md': {
    'temper find ': FLEET,
    'temper history --all-namespaces': FLEET,
    'temper waiting': FLEET,
    'kubectl label bmh -n NAMESPACE': not(
      'docs/steering.md has the same commands, which test/e2e/steered-machines.test.ts runs',
    ),
    'temper version': FLEET,
  },
  'docs/installation.md': {
    'kubectl create namespace temper-system': by('test/e2e/installation.test.ts'),
    'npm run package -- --image': HELM,
    'kubectl apply -f deploy/kubernetes/base/namespace.yaml': HELM,
    'helm upgrade temper': HELM,
    'npm run image -- --name': by('test/nightly/image.test.ts'),
    'npm run image -- --engine docker': NO_REGISTRY,
    'npm run image -- --engine podman': NO_REGISTRY,
    'container=$(podman create': NO_REGISTRY,
    'npm run package -- --version': NO_REGISTRY,
    'npx temper uninstall': by('test/integration/uninstall.test.ts'),
  },
  'docs/lab.md': {
    'npx temper lab up --provisioner fixture': LAB_PAGES,
  },
  'docs/machine-api.md': {
    'kubectl get machines.machine.openshift.io -o wide': by('test/e2e/machine-sets.test.ts'),
    'kubectl create -f examples/machine-api-2019.yaml': MACHINE_API,
    'npx temper quarantine machine $machine': MACHINE_API,
    'scripts/link-machine-and-node.sh $machine $node': MACHINE_API,
  },
  'docs/migration.md': {
    'npx temper migrate check': MIGRATION,
    'npx temper uninstall --for-metal3': MIGRATION,
    'kubectl scale deployment -n baremetal-operator-system': MIGRATION,
    'kubectl get baremetalhosts -A -o custom-columns': MIGRATION,
    'kubectl delete --ignore-not-found validatingwebhookconfigurations': MIGRATION,
    'clusterctl delete --infrastructure metal3': by('test/integration/migration.test.ts', {
      except: {
        'clusterctl delete':
          'no provider of clusterctl is installed: test/e2e/clusterctl-addresses.test.ts removes one',
      },
    }),
    'kubectl apply --server-side --force-conflicts -k .': by('test/integration/migration.test.ts', {
      except: {
        'kubectl rollout status -n temper-system deployment/temper-workers': NO_PODS,
        'kubectl rollout status -n temper-system deployment/temper-bridge': NO_PODS,
      },
    }),
    'kubectl get bmh -A -o custom-columns': MIGRATION,
  },
  'docs/nightly.md': { 'npm run test:nightly': not('it would run itself: its results are in test/nightly/results.md') },
  'docs/operations/certificates.md': {
    'kubectl get secret -n temper-system temper-webhook-server-cert': by('test/e2e/monitoring.test.ts'),
  },
  'docs/operations/upgrade.md': {
    'until temporal worker deployment describe-version': VERSIONS,
    'until temporal worker deployment set-current-version --deployment-name temper --build-id "$NEW"': VERSIONS,
    'kubectl get events -A --field-selector reason=WorkflowTaskFailing': VERSIONS,
    "pinned=\"TemporalWorkerDeploymentVersion = 'temper:$OLD'": VERSIONS,
    'until temporal worker deployment set-current-version --deployment-name temper --build-id "$OLD"': VERSIONS,
    'changed="TemporalUsedWorkerDeploymentVersions': VERSIONS,
    "pinned=\"TemporalWorkerDeploymentVersion = 'temper:$NEW'": VERSIONS,
    "kubectl apply --server-side -k . -l '!app.kubernetes.io/component'": KUBELETS,
    'kubectl apply --server-side -k . -l app.kubernetes.io/component=workers': KUBELETS,
    'kubectl apply --server-side -k . -l app.kubernetes.io/component=bridge': KUBELETS,
    'kubectl apply --server-side -k .': KUBELETS,
    'kubectl apply --server-side -k . -l app.kubernetes.io/component=webhooks': KUBELETS,
  },
  'docs/remediation.md': { 'kubectl get m3r': STARTS },
  'docs/seeds.md': {
    'npx temper lab up --cluster-api --machines-file': LAB_PAGES,
  },
  'docs/steering.md': {
    'npx temper quarantine host $host': HOSTS,
    'npx temper pause host -n $namespace --selector': HOSTS,
    'npx temper power off host $host': HOSTS,
    'npx temper hold host -n $namespace --selector': { ...MACHINES, atNight: true },
    'npx temper pause machine $machine': MACHINES,
    'kubectl -n $namespace annotate bmh $host temper/quarantine=': HOSTS,
    'kubectl -n $namespace annotate bmh $host temper/abort=': HOSTS,
    'kubectl -n $namespace annotate bmh $host baremetalhost.metal3.io/paused=': HOSTS,
    'kubectl -n $namespace delete bmh $host': HOSTS,
    'kubectl -n $namespace annotate metal3machine $machine temper/retry=': MACHINES,
    'temporal workflow update execute --workflow-id baremetalhost/': HOSTS,
    'temporal workflow signal --workflow-id baremetalhost/': HOSTS,
    'temporal workflow update execute --workflow-id metal3machine/': MACHINES,
    'tctl workflow signal': not('tctl does not come with the pinned server any more, and is in no registry'),
  },
  'docs/temporal-for-metal3.md': {
    'temporal operator namespace create': not('deploy/temporal/namespace.sh does the same for docker-compose'),
  },
  'docs/temporal.md': {
    'kubectl create secret generic temper-payload-keys': by('test/e2e/guarded-temporal.test.ts'),
    'kubectl port-forward -n temper-system service/temper-codec': by('test/e2e/guarded-temporal.test.ts', {
      except: { 'kubectl port-forward': NO_PODS },
    }),
    'kubectl get secret -n temper-system temper-codec-cert': by('test/e2e/web-ui-codec.test.ts', {
      atNight: true,
      except: { 'kubectl port-forward': NO_PODS },
    }),
  },
  'docs/tutorial.md': {
    'npm start': TUTORIAL,
    'export KUBECONFIG=$PWD/.lab/kubeconfig': TUTORIAL,
    'image=$(kubectl get bmh host-1': TUTORIAL,
    'kubectl wait bmh host-4': TUTORIAL,
    'npx temper quarantine host host-5': TUTORIAL,
    'npx temper release host host-5': TUTORIAL,
    'npx temper resume host host-5': TUTORIAL,
    'npx temper lab machines': TUTORIAL,
    'read -r _ _ _ bmc _ mac _': TUTORIAL,
    'kubectl get bmh my-host': TUTORIAL,
    'kubectl patch secret my-host-bmc': TUTORIAL,
    'kubectl get clusters,machines,metal3machines': TUTORIAL,
    'kubectl scale machinedeployment demo': TUTORIAL,
    'kubectl get secret demo-kubeconfig': TUTORIAL,
    'kubectl patch bmh host-4 --type=json': TUTORIAL,
    'npx temper lab reset': TUTORIAL,
  },
};
