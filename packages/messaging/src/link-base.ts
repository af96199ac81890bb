/** What all signing links begin with: the token follows. `publicUrl`: where the outside reaches the service. */
export const signingLinkBase = (publicUrl: string): string => `${publicUrl}/s/`;
