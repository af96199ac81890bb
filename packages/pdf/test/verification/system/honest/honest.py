"""Signs files as other programs do, by the seeds that it is given, and prints what it made of each.

honest.py BASES OUT FIRST COUNT

BASES  a folder of PDFs; those whose name begins with "sealed" were sealed by the service
OUT    where SEED.pdf is written, and root.der: what all of it is under
out    {"seed", "base", "steps": [...]} a line

A step is a signature (its key, hash, form, whether it is seen, certifies, or has a timestamp), validation data, or a
timestamp over all: what pyHanko writes for archives, without the network.
"""
import datetime
import json
import logging
import pathlib
import random
import sys

from asn1crypto import crl as asn1_crl, keys, x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign import fields, signers, timestamps
from pyhanko.sign.signers.pdf_signer import PdfTimeStamper
from pyhanko.sign.validation.dss import DocumentSecurityStore
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.registry import SimpleCertificateStore

logging.disable(logging.CRITICAL)
now = datetime.datetime.now(datetime.timezone.utc)


def issued(name, key, issuer, issuer_key, extensions):
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=900))
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(issuer_key, hashes.SHA256())


def usage(**given):
    names = [
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
        "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
    ]
    return x509.KeyUsage(**{name: given.get(name, False) for name in names})


root_key = ec.generate_private_key(ec.SECP256R1())
root = issued("Root", root_key, "Root", root_key, [
    (x509.BasicConstraints(ca=True, path_length=None), True),
    (usage(key_cert_sign=True, crl_sign=True), True),
])
listed = (
    x509.CertificateRevocationListBuilder()
    .issuer_name(root.subject)
    .last_update(now - datetime.timedelta(hours=1))
    .next_update(now + datetime.timedelta(days=30))
    .sign(root_key, hashes.SHA256())
)


def as_asn1(certificate):
    return asn1_x509.Certificate.load(certificate.public_bytes(serialization.Encoding.DER))


def key_of(key):
    return keys.PrivateKeyInfo.load(
        key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


ROOT = as_asn1(root)
LISTED = asn1_crl.CertificateList.load(listed.public_bytes(serialization.Encoding.DER))
registry = SimpleCertificateStore()
registry.register(ROOT)


def signer_with(key, name):
    certificate = issued(name, key, "Root", root_key, [(usage(digital_signature=True, content_commitment=True), True)])
    return signers.SimpleSigner(
        signing_cert=as_asn1(certificate), signing_key=key_of(key), cert_registry=registry, prefer_pss=False
    )


KEYS = {
    "rsa-2048": rsa.generate_private_key(65537, 2048),
    "rsa-3072": rsa.generate_private_key(65537, 3072),
    "p-256": ec.generate_private_key(ec.SECP256R1()),
    "p-384": ec.generate_private_key(ec.SECP384R1()),
}
SIGNERS = {name: signer_with(key, f"Signer {name}") for name, key in KEYS.items()}
clock_key = rsa.generate_private_key(65537, 2048)
clock_certificate = issued("Clock", clock_key, "Root", root_key, [
    (usage(digital_signature=True), True),
    (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), True),
])
clock = timestamps.DummyTimeStamper(
    tsa_cert=as_asn1(clock_certificate), tsa_key=key_of(clock_key), certs_to_embed=registry
)


def context():
    return ValidationContext(
        trust_roots=[ROOT], crls=[LISTED], allow_fetching=False, revocation_mode="soft-fail",
        other_certs=[as_asn1(clock_certificate)] + [signer.signing_cert for signer in SIGNERS.values()],
    )


def signature(path, pick, number, may_certify, is_last):
    key = pick.choice(list(SIGNERS))
    certifies = may_certify and pick.random() < 0.3
    is_seen = pick.random() < 0.5
    is_pades = pick.random() < 0.5
    is_timed = pick.random() < 0.5
    digest = pick.choice(["sha256", "sha384", "sha512"])
    with open(path, "rb+") as file:
        writer = IncrementalPdfFileWriter(file)
        box = (40 + 90 * number, 20, 120 + 90 * number, 60) if is_seen else None
        field = fields.SigFieldSpec(f"Other{number}", on_page=0, box=box)
        form = fields.SigSeedSubFilter.PADES if is_pades else fields.SigSeedSubFilter.ADOBE_PKCS7_DETACHED
        metadata = signers.PdfSignatureMetadata(
            field_name=f"Other{number}", md_algorithm=digest, subfilter=form, certify=certifies,
            # Without leave to annotate, no field may follow that is seen.
            docmdp_permissions=fields.MDPPerm.FILL_FORMS if is_last else fields.MDPPerm.ANNOTATE,
        )
        signers.PdfSigner(
            metadata, signer=SIGNERS[key], timestamper=clock if is_timed else None, new_field_spec=field
        ).sign_pdf(writer, in_place=True)
    return ["signature", key, digest, form.value, "seen" if is_seen else "unseen",
            *(["certifies"] if certifies else []), *(["timed"] if is_timed else [])]


def data(path, pick, *_):
    how = pick.choice(["certificates", "list", "both"])
    certificates = [ROOT, as_asn1(clock_certificate)] if how != "list" else [ROOT]
    with open(path, "rb+") as file:
        writer = IncrementalPdfFileWriter(file)
        DocumentSecurityStore.supply_dss_in_writer(
            writer, None, certs=certificates, crls=[] if how == "certificates" else [LISTED]
        )
        writer.write_in_place()
    return ["data", how]


def archived(path, pick, *_):
    digest = pick.choice(["sha256", "sha512"])
    with open(path, "rb+") as file:
        PdfTimeStamper(timestamper=clock).timestamp_pdf(
            IncrementalPdfFileWriter(file), digest, validation_context=context() if pick.random() < 0.5 else None,
            in_place=True,
        )
    return ["timestamp", digest]


bases, out, first, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
(out / "root.der").write_bytes(ROOT.dump())
names = sorted(path.name for path in bases.iterdir())
for seed in range(first, first + count):
    pick = random.Random(seed)
    base = names[seed % len(names)]
    path = out / f"{seed}.pdf"
    path.write_bytes((bases / base).read_bytes())
    is_sealed = base.startswith("sealed")
    steps = []
    # What the service sealed is signed further by others in a third of all: else archived.
    signs = pick.randint(1, 3) if not is_sealed else pick.choice([0, 0, 1])
    for number in range(signs):
        steps.append(signature(path, pick, number, number == 0 and not is_sealed, number == signs - 1))
    for _ in range(pick.randint(1 if is_sealed and signs == 0 else 0, 3)):
        steps.append(pick.choice([data, archived])(path, pick))
    print(json.dumps({"seed": seed, "base": base, "steps": steps}), flush=True)
