/** The fields of a host that are counted; each may be missing. */
export interface CountedHost {
  readonly metadata?: {
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string | undefined>>;
  };
  readonly status?: CountedStatus;
}

interface CountedStatus {
  readonly operationalStatus?: string;
  readonly errorType?: string;
  readonly provisioning?: { readonly state?: string };
  readonly operationHistory?: Readonly<Record<string, Times | undefined>>;
  readonly conditions?: readonly CountedCondition[];
}

interface CountedCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Times {
  readonly start?: string | null;
  readonly end?: string | null;
}
