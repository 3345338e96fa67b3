/** The token of an Authorization header with the scheme Bearer; undefined when there is none. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
