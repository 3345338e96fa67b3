import type { SeenCandidate } from '../../../domain/diagnosis/sight.ts';
import { OTHER_FAILURE_DOMAIN } from '../../../domain/entity/conditions.ts';
import { NO_MATCH } from '../../../domain/machine/choose-host/select-host.ts';
import { aCondition, aHealthyMachine, type Examples, machineSays, machineWaits, NOW } from './sights.ts';

const NO_HOST = 'failed to associate the Metal3Machine to a BareMetalHost: no available host found. ';

const noHost = (candidates: readonly SeenCandidate[], reason: string) =>
  machineWaits('AssociateBareMetalHostFailed', `${NO_HOST}${reason}`, { candidates });

export const MACHINE_EXAMPLES = {
  'no-hosts': [noHost([], 'there are no hosts in this namespace')],
  'selector-matches-nothing': [noHost([{ name: 'node-1', obstacle: NO_MATCH }], `1 host: 1 ${NO_MATCH}`)],
  'hosts-taken': [
    noHost(
      [
        { name: 'node-1', obstacle: 'taken' },
        { name: 'node-2', obstacle: NO_MATCH },
      ],
      `2 hosts: 1 taken, 1 ${NO_MATCH}`,
    ),
  ],
  'hosts-not-free': [
    noHost(
      [
        { name: 'node-1', obstacle: 'in error' },
        { name: 'node-2', obstacle: 'not available (inspecting)' },
      ],
      '2 hosts: 1 in error, 1 not available (inspecting)',
    ),
  ],
  'no-host': [machineWaits('AssociateBareMetalHostFailed', `${NO_HOST}3 hosts: 3 taken`)],
  'selector-invalid': [
    machineWaits(
      'AssociateBareMetalHostFailed',
      'failed to associate the Metal3Machine to a BareMetalHost: operator: Unsupported value: "near": supported values: "in", "notin"',
    ),
    machineWaits(
      'AssociateBareMetalHostFailed',
      'failed to associate the Metal3Machine to a BareMetalHost: beyond the bound of the selector: more than 5000 values',
    ),
  ],
  'host-taken': [machineSays('failed to update BareMetalHost: BareMetalHost node-1 is taken by Server other/s1')],
  'host-gone': [machineSays('failed to update BareMetalHost: BareMetalHost not found for machine worker-1')],
  'machine-without-image': [
    machineSays(
      'failed to update BareMetalHost: Metal3Machine worker-1 has neither Image.URL nor CustomDeploy.Method configured',
    ),
  ],
  'machine-secret-elsewhere': [
    machineSays(
      'Failed to get the Metal3Metadata: cross-namespace secret reference is not allowed for metaData (namespace "other" does not match "metal")',
    ),
  ],
  'bootstrap-data-missing': [
    machineWaits('WaitingForBootstrapData', 'Waiting for bootstrap data to be ready before proceeding'),
  ],
  'machine-without-owner': [
    machineWaits('WaitingForMetal3MachineOwnerRef', 'Waiting for Machine Controller to set OwnerRef on Metal3Machine'),
  ],
  'machine-paused': [
    {
      now: NOW,
      machine: {
        ...aHealthyMachine,
        conditions: [{ type: 'Paused', status: 'True', reason: 'Paused', message: '', since: '2026-01-01T11:30:00Z' }],
      },
    },
  ],
  'other-failure-domain': [
    {
      now: NOW,
      machine: {
        ...aHealthyMachine,
        conditions: [
          aCondition(
            OTHER_FAILURE_DOMAIN,
            'True',
            'NoHostInDomain',
            'failure domain rack-a was wanted, host node-1 of failure domain rack-b was taken: no host of rack-a was free',
          ),
        ],
      },
    },
  ],
} satisfies Examples;
