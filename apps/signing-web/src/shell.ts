/**
 * The HTML that every signer's link answers: it names no document, no person and no token, so that what previews,
 * proxies and histories keep of it tells nothing. Addresses are relative, so that a path before `/s/` in PUBLIC_URL
 * works. The paths are those below `/assets/`.
 */
export const shellHtml = (paths: { script: string; style: string; icon: string }): string => `<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow, noarchive">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<meta name="theme-color" content="#ffffff">
<meta property="og:title" content="Firma electrónica de documento">
<meta property="og:description" content="Abra el enlace para leer el documento y firmarlo.">
<title>Firma electrónica</title>
<link rel="icon" type="image/svg+xml" href="../assets/${paths.icon}">
<link rel="stylesheet" href="../assets/${paths.style}">
<script type="module" src="../assets/${paths.script}"></script>
</head>
<body>
<div id="app"><p class="opening" role="status">Abriendo…</p></div>
<noscript><p class="opening">Para leer y firmar el documento, active JavaScript en su navegador y vuelva a abrir el enlace.</p></noscript>
</body>
</html>
`;
