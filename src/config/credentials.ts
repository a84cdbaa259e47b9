/** Which credentials of S3 to use, decided by the usual AWS_* variables. */
import { fail } from './parsers.ts';

export type CredentialSource =
  | {
      from: 'environment';
      accessKeyId: string;
      secretAccessKey: string;
      sessionToken: string | undefined;
      /** In milliseconds since 1970, if somebody says when. */
      expires: number | undefined;
    }
  /** The shared credentials file. */
  | { from: 'file'; path: string; profile: string }
  /** A token in a file, which Kubernetes replaces, and the role that it allows. */
  | { from: 'webIdentity'; tokenFile: string; role: string; session: string; endpoint: string }
  | { from: 'container'; url: string; token: string | undefined; tokenFile: string | undefined }
  /** The file at its usual path if it exists, or else the role of the instance. */
  | { from: 'machine'; path: string; profile: string; endpoint: string };

type Environment = Record<string, string | undefined>;

const CONTAINER_ORIGIN = 'http://169.254.170.2';
const INSTANCE_ORIGIN = 'http://169.254.169.254';
/** The services of Amazon that may send credentials without TLS. They are on the machine itself. */
const linkLocalHosts = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'];

export function parseCredentials(environment: Environment, region: string, home: string): CredentialSource {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  const { AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE } = environment;
  if (AWS_ACCESS_KEY_ID || AWS_SECRET_ACCESS_KEY) {
    if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
      return fail('requires both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
    return {
      from: 'environment',
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      sessionToken: AWS_SESSION_TOKEN || undefined,
      expires: parseExpiration(environment.AWS_CREDENTIAL_EXPIRATION),
    };
  }
  const profile = AWS_PROFILE || 'default';
  const path = AWS_SHARED_CREDENTIALS_FILE || `${home}/.aws/credentials`;
  if (AWS_PROFILE || AWS_SHARED_CREDENTIALS_FILE) return { from: 'file', path, profile };
  return parseService(environment, region) ?? parseMachine(environment, path, profile);
}

function parseService(environment: Environment, region: string): CredentialSource | undefined {
  const { AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME } = environment;
  if (AWS_WEB_IDENTITY_TOKEN_FILE && AWS_ROLE_ARN) {
    const amazon = `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
    return {
      from: 'webIdentity',
      tokenFile: AWS_WEB_IDENTITY_TOKEN_FILE,
      role: AWS_ROLE_ARN,
      session: AWS_ROLE_SESSION_NAME || 'zukan',
      endpoint: environment.AWS_ENDPOINT_URL_STS || amazon,
    };
  }
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: url } =
    environment;
  if (!path && !url) return undefined;
  return {
    from: 'container',
    url: path ? CONTAINER_ORIGIN + path : checkContainerUrl(url as string),
    token: environment.AWS_CONTAINER_AUTHORIZATION_TOKEN || undefined,
    tokenFile: environment.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE || undefined,
  };
}

function parseMachine(environment: Environment, path: string, profile: string): CredentialSource {
  const { AWS_EC2_METADATA_DISABLED, AWS_EC2_METADATA_SERVICE_ENDPOINT } = environment;
  if (AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') return { from: 'file', path, profile };
  const endpoint = (AWS_EC2_METADATA_SERVICE_ENDPOINT || INSTANCE_ORIGIN).replace(/\/+$/, '');
  return { from: 'machine', path, profile, endpoint };
}

/** Anybody on the way could read credentials that come without TLS from another machine. */
function checkContainerUrl(text: string): string {
  const url = URL.parse(text);
  const isLocal =
    url && (/^(localhost|127\.[0-9.]+|\[::1\])$/.test(url.hostname) || linkLocalHosts.includes(url.hostname));
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return text;
  return fail('AWS_CONTAINER_CREDENTIALS_FULL_URI must start with https://, or lead to this machine');
}

function parseExpiration(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? fail('AWS_CREDENTIAL_EXPIRATION must be a date and time') : time;
}
