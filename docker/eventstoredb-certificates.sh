#!/bin/sh
# Makes the authority and the certificate that EventStoreDB encrypts with, unless they are there: FOLDER is the one
# argument. The authority's own key is kept nowhere. A new pair: remove the folder's files, and start anew.
set -eu
folder=$1
[ -e "$folder/node.crt" ] && exit 0
umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/O=Rubrica/CN=EventStoreDB authority" \
  -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign" \
  -keyout "$work/ca.key" -out "$work/ca.crt" 2>/dev/null
openssl req -newkey rsa:2048 -nodes -subj "/CN=eventstoredb-node" \
  -keyout "$work/node.key" -out "$work/node.csr" 2>/dev/null
cat >"$work/node.cnf" <<'END'
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature,keyEncipherment
extendedKeyUsage = serverAuth,clientAuth
subjectAltName = DNS:eventstoredb,DNS:localhost,IP:127.0.0.1
END
openssl x509 -req -days 3650 -in "$work/node.csr" -CA "$work/ca.crt" -CAkey "$work/ca.key" -CAcreateserial \
  -extfile "$work/node.cnf" -out "$work/node.crt" 2>/dev/null

mkdir -p "$folder/ca"
cp "$work/ca.crt" "$folder/ca/ca.crt"
cp "$work/node.key" "$folder/node.key"
# The last one: with it all are there.
cp "$work/node.crt" "$folder/node.crt.new"
chmod 0755 "$folder/ca"
chmod 0644 "$folder/ca/ca.crt" "$folder/node.crt.new"
mv "$folder/node.crt.new" "$folder/node.crt"
