import { namesOf, type PrinterColumn, v1alpha1Resource } from '../custom-resource.ts';
import { ageColumn, clusterColumn, column, reasonColumn } from '../meta/columns.ts';
import { ipAddress, ipClaim, ipPool } from './kind.ts';
import { ipAddressSpec, ipClaimSpec, ipClaimStatus, ipPoolSpec, ipPoolStatus } from './schema.ts';

/**
 * Cluster API and clusterctl read the contract versions from these labels. The old versions are the same as upstream's.
 */
const labels = {
  'cluster.x-k8s.io/provider': 'ipam-metal3',
  'cluster.x-k8s.io/v1alpha2': 'v1alpha2',
  'cluster.x-k8s.io/v1alpha3': 'v1alpha3_v1alpha4',
  'cluster.x-k8s.io/v1alpha4': 'v1alpha5',
  'cluster.x-k8s.io/v1beta1': 'v1beta1',
};

const addressColumn: PrinterColumn = column('Address', '.status.address.name', 'IPAddress of the claim');

export const ipPoolResource = v1alpha1Resource({
  ...namesOf(ipPool),
  shortNames: ['ipp', 'ippool', 'm3ipp', 'm3ippool', 'm3ippools', 'metal3ipp', 'metal3ippool', 'metal3ippools'],
  categories: ['cluster-api'],
  description: 'A pool of IP addresses for machines.',
  labels,
  columns: [clusterColumn, ageColumn],
  spec: ipPoolSpec,
  status: ipPoolStatus,
});

export const ipClaimResource = v1alpha1Resource({
  ...namesOf(ipClaim),
  shortNames: ['ipc', 'ipclaim', 'm3ipc', 'm3ipclaim', 'm3ipclaims', 'metal3ipc', 'metal3ipclaim', 'metal3ipclaims'],
  categories: ['cluster-api'],
  description: 'A request for an IP address from an IPPool.',
  labels,
  columns: [ageColumn, addressColumn, reasonColumn('.status.errorMessage')],
  spec: ipClaimSpec,
  status: ipClaimStatus,
});

export const ipAddressResource = v1alpha1Resource({
  ...namesOf(ipAddress),
  shortNames: [
    'ipa',
    'ipaddress',
    'm3ipa',
    'm3ipaddress',
    'm3ipaddresses',
    'metal3ipa',
    'metal3ipaddress',
    'metal3ipaddresses',
  ],
  categories: ['metal3'],
  description: 'An IP address of an IPPool that is allocated to an IPClaim.',
  labels,
  columns: [ageColumn],
  spec: ipAddressSpec,
});
