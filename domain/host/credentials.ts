/** How the message begins that tells of a BMC's Secret that does not exist; it is told from other trouble by this. */
export const NO_CREDENTIALS_SECRET = "BMC CredentialsName secret doesn't exist";
