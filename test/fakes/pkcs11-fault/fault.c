// A PKCS#11 library for tests that forwards to SoftHSM and misbehaves as the file beside it says: <its own path>.fault.
//
// The file holds one line, read at each call; without it everything works:
//   hang            calls do not return while the file says so
//   crash           the process ends with a segmentation fault
//   drop            all sessions are closed under their owners, once for each time that the file changes
//   forget          a call that makes a key works, and then all sessions are closed, once for each time that the file changes
//   own-iv          the token chooses the IV of CKM_AES_GCM, and writes it over the given one
//   zero-iv         the same, and it takes nothing but zeros
//   lie             a call that makes a key works, and says that it did not
//   gone            no slot holds a token
//   closed          the same, and the library does not start: C_Initialize fails
//   locked          the token refuses the PIN with CKR_PIN_LOCKED, and sessions are closed
//   error 0x30      each use of a key returns this value
//   slow 1000       each use of a key takes so many milliseconds longer
//   make 1000       each call that makes a key takes so many milliseconds longer
//   search 1000     each search takes so many milliseconds longer
//   hold make       each call that makes a key waits while the file says so
//   hold search     each search does
//   gather 3        uses of keys wait until so many are under way together; after half a minute they fail
//   sessions 2      a slot has so many sessions, and no more: CKR_SESSION_COUNT
//   one-thread      the library has no locks: C_Initialize wants one thread to call it
//   unreadable KEY  the token does not tell the attributes of the object with this label: CKR_GENERAL_ERROR
//   without 0x1087  the token does not report this mechanism, or these (0x1087,0x2109), and refuses them
//   fewer 0x1087    the same, and all sessions are closed, once for each time that the file changes
//   keep            the token does not destroy public keys
//   padding         the token says of a wrong PKCS#1 v1.5 padding that the data are invalid; "padding only": and it has no RSA without padding
//   length -1       what a use of a key gives is so many bytes longer, or shorter; also the value of a key that can be read
//   unknown-length  the token says of the length of a secret key that it is not known: CK_UNAVAILABLE_INFORMATION as a value
//   point           the token tells points of curves without their last byte
//   reuse KEY       the handle of an object that is gone is that of the object with this label
//   refuse          the token takes no values of keys (C_CreateObject); "refuse all": nor does it unwrap them
//
// <its own path>.unwrapped holds how many keys were unwrapped that never leave the token, how many of these are there, and how many others were unwrapped.
// <its own path>.held holds how many calls wait for "hold" now.
// <its own path>.sessions holds how many sessions are open, by C_GetSessionInfo, after each call that opens or closes one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pkcs11.h"

static CK_FUNCTION_LIST mine;
static CK_FUNCTION_LIST_PTR real;
static char path[4096];
static char own_path[4096];

static int told(const char *word, char *rest, size_t room) {
  char line[256] = "";
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  if (!fgets(line, sizeof line, file)) line[0] = 0;
  fclose(file);
  size_t length = strlen(word);
  if (strncmp(line, word, length) != 0) return 0;
  if (rest) snprintf(rest, room, "%s", line + length);
  return 1;
}

static CK_SLOT_ID slots[16];
static CK_ULONG slot_count;

static void close_all(void) {
  for (CK_ULONG at = 0; at < slot_count; at++) real->C_CloseAllSessions(slots[at]);
}

static void drop_once(void) {
  static struct timespec dropped;
  struct stat info;
  if (stat(path, &info) != 0 || memcmp(&info.st_mtim, &dropped, sizeof dropped) == 0) return;
  dropped = info.st_mtim;
  close_all();
}

/** One thread alone never gathers. */
static CK_RV gather(int wished) {
  static _Atomic int under_way;
  under_way++;
  for (int turn = 0; under_way < wished; turn++) {
    if (turn > 6000) return CKR_FUNCTION_FAILED;
    usleep(5000);
  }
  return CKR_OK;
}

static CK_RV enter(int is_use) {
  char rest[64];
  if (told("crash", 0, 0)) raise(SIGSEGV);
  while (told("hang", 0, 0)) usleep(20000);
  if (told("drop", 0, 0) || told("locked", 0, 0) || told("fewer", 0, 0)) drop_once();
  if (told("gone", 0, 0) || told("closed", 0, 0)) return CKR_TOKEN_NOT_PRESENT;
  if (is_use && told("error", rest, sizeof rest)) return strtoul(rest, 0, 16);
  if (is_use && told("gather ", rest, sizeof rest)) return gather(atoi(rest));
  if (is_use && told("slow", rest, sizeof rest)) usleep(1000 * atoi(rest));
  return CKR_OK;
}

#define FORWARD(name, is_use, parameters, arguments) \
  static CK_RV mine_##name parameters {              \
    CK_RV result = enter(is_use);                    \
    return result == CKR_OK ? real->name arguments : result; \
  }

/** What the object handle stands for. */
static CK_OBJECT_HANDLE of(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object) {
  char label[64];
  CK_OBJECT_CLASS class;
  CK_ATTRIBUTE attribute = {CKA_CLASS, &class, sizeof class};
  if (!told("reuse ", label, sizeof label) || real->C_GetAttributeValue(session, object, &attribute, 1) == CKR_OK) return object;
  label[strcspn(label, "\n")] = 0;
  CK_ATTRIBUTE named = {CKA_LABEL, label, strlen(label)};
  CK_OBJECT_HANDLE found = object;
  CK_ULONG count;
  if (real->C_FindObjectsInit(session, &named, 1) != CKR_OK) return object;
  real->C_FindObjects(session, &found, 1, &count);
  real->C_FindObjectsFinal(session);
  return found;
}

static int is_missing(CK_MECHANISM_TYPE mechanism) {
  char rest[200], *at = rest;
  if (told("padding only", 0, 0)) return mechanism == CKM_RSA_X_509;
  if (!told("without ", rest, sizeof rest) && !told("fewer ", rest, sizeof rest)) return 0;
  for (;; at++) {
    if (strtoul(at, &at, 0) == mechanism) return 1;
    if (*at != ',') return 0;
  }
}

FORWARD(C_GetTokenInfo, 0, (CK_SLOT_ID a, CK_TOKEN_INFO_PTR b), (a, b))
FORWARD(C_GetSessionInfo, 0, (CK_SESSION_HANDLE a, CK_SESSION_INFO_PTR b), (a, b))

static CK_RV mine_C_SignInit(CK_SESSION_HANDLE a, CK_MECHANISM_PTR b, CK_OBJECT_HANDLE c) {
  CK_RV result = enter(0);
  if (result == CKR_OK && is_missing(b->mechanism)) return CKR_MECHANISM_INVALID;
  return result == CKR_OK ? real->C_SignInit(a, b, of(a, c)) : result;
}

static void resize(CK_ULONG_PTR length) {
  char rest[64];
  if (!told("length ", rest, sizeof rest)) return;
  long wished = (long)*length + atol(rest);
  *length = wished < 0 ? 0 : wished;
}

/** A use of a key: its result is the last argument. */
#define USED(name, parameters, arguments, length)   \
  static CK_RV mine_##name parameters {             \
    CK_RV result = enter(1);                        \
    if (result == CKR_OK) result = real->name arguments; \
    if (result == CKR_OK) resize(length);           \
    return result;                                  \
  }

USED(C_Encrypt, (CK_SESSION_HANDLE a, CK_BYTE_PTR b, CK_ULONG c, CK_BYTE_PTR d, CK_ULONG_PTR e), (a, b, c, d, e), e)
USED(C_EncryptFinal, (CK_SESSION_HANDLE a, CK_BYTE_PTR b, CK_ULONG_PTR c), (a, b, c), c)
USED(C_DecryptFinal, (CK_SESSION_HANDLE a, CK_BYTE_PTR b, CK_ULONG_PTR c), (a, b, c), c)
USED(C_Sign, (CK_SESSION_HANDLE a, CK_BYTE_PTR b, CK_ULONG c, CK_BYTE_PTR d, CK_ULONG_PTR e), (a, b, c, d, e), e)
USED(C_SignFinal, (CK_SESSION_HANDLE a, CK_BYTE_PTR b, CK_ULONG_PTR c), (a, b, c), c)

static CK_RV mine_C_WrapKey(CK_SESSION_HANDLE a, CK_MECHANISM_PTR b, CK_OBJECT_HANDLE c, CK_OBJECT_HANDLE d, CK_BYTE_PTR e, CK_ULONG_PTR f) {
  CK_RV result = enter(1);
  if (result == CKR_OK && is_missing(b->mechanism)) return CKR_MECHANISM_INVALID;
  if (result == CKR_OK) result = real->C_WrapKey(a, b, of(a, c), of(a, d), e, f);
  if (result == CKR_OK) resize(f);
  return result;
}

static CK_RV mine_C_DeriveKey(CK_SESSION_HANDLE a, CK_MECHANISM_PTR b, CK_OBJECT_HANDLE c, CK_ATTRIBUTE_PTR d, CK_ULONG e, CK_OBJECT_HANDLE_PTR f) {
  CK_RV result = enter(1);
  if (result == CKR_OK && is_missing(b->mechanism)) return CKR_MECHANISM_INVALID;
  return result == CKR_OK ? real->C_DeriveKey(a, b, of(a, c), d, e, f) : result;
}

static void write_line(const char *what, const char *line);

static void delay(const char *word) {
  static _Atomic int held;
  char rest[64], hold[64];
  if (told(word, rest, sizeof rest)) usleep(1000 * atoi(rest));
  snprintf(hold, sizeof hold, "hold %s", word);
  if (!told(hold, 0, 0)) return;
  snprintf(rest, sizeof rest, "%d", ++held);
  write_line("held", rest);
  while (told(hold, 0, 0)) usleep(5000);
  snprintf(rest, sizeof rest, "%d", --held);
  write_line("held", rest);
}

static CK_RV mine_C_GetAttributeValue(CK_SESSION_HANDLE a, CK_OBJECT_HANDLE b, CK_ATTRIBUTE_PTR c, CK_ULONG d) {
  char rest[64], label[64] = "";
  if (told("unreadable ", rest, sizeof rest)) {
    CK_ATTRIBUTE attribute = {CKA_LABEL, label, sizeof label - 1};
    rest[strcspn(rest, "\n")] = 0;
    if (real->C_GetAttributeValue(a, b, &attribute, 1) == CKR_OK && strcmp(label, rest) == 0) return CKR_GENERAL_ERROR;
  }
  CK_RV result = real->C_GetAttributeValue(a, of(a, b), c, d);
  for (CK_ULONG at = 0; result == CKR_OK && at < d; at++)
    if (c[at].type == CKA_VALUE && c[at].pValue) resize(&c[at].ulValueLen);
    else if (c[at].type == CKA_VALUE_LEN && c[at].pValue && told("unknown-length", 0, 0)) memset(c[at].pValue, 0xff, c[at].ulValueLen);
    else if (c[at].type == CKA_EC_POINT && c[at].pValue && told("point", 0, 0)) c[at].ulValueLen -= 1;
  return result;
}

static CK_RV mine_C_FindObjectsInit(CK_SESSION_HANDLE a, CK_ATTRIBUTE_PTR b, CK_ULONG c) {
  delay("search");
  CK_RV result = enter(0);
  return result == CKR_OK ? real->C_FindObjectsInit(a, b, c) : result;
}

static CK_RV mine_C_Initialize(CK_VOID_PTR arguments) {
  CK_C_INITIALIZE_ARGS *given = arguments;
  if (given && (given->flags & CKF_OS_LOCKING_OK) && told("one-thread", 0, 0)) return CKR_CANT_LOCK;
  return told("closed", 0, 0) ? CKR_GENERAL_ERROR : real->C_Initialize(arguments);
}

#define MAX_SESSIONS 4096
static CK_SESSION_HANDLE sessions[MAX_SESSIONS];
static int session_count;

/** Whole lines only. */
static void write_line(const char *what, const char *line) {
  char name[4200], next[4210];
  snprintf(name, sizeof name, "%s.%s", own_path, what);
  snprintf(next, sizeof next, "%s.next", name);
  FILE *file = fopen(next, "w");
  if (!file) return;
  fprintf(file, "%s\n", line);
  fclose(file);
  rename(next, name);
}

static void tell_sessions(void) {
  char line[32];
  CK_SESSION_INFO info;
  int open = 0;
  for (int at = 0; at < session_count; at++)
    if (real->C_GetSessionInfo(sessions[at], &info) == CKR_OK) sessions[open++] = sessions[at];
  session_count = open;
  snprintf(line, sizeof line, "%d", open);
  write_line("sessions", line);
}

#define MAX_UNWRAPPED 4096
static struct {
  CK_SESSION_HANDLE session;
  CK_OBJECT_HANDLE object;
} unwrapped[MAX_UNWRAPPED];
static int unwrapped_count;
static int unwrapped_others;

static void tell_unwrapped(void) {
  char line[64];
  int there = 0;
  for (int at = 0; at < unwrapped_count; at++) {
    CK_OBJECT_CLASS class;
    CK_ATTRIBUTE attribute = {CKA_CLASS, &class, sizeof class};
    there += real->C_GetAttributeValue(unwrapped[at].session, unwrapped[at].object, &attribute, 1) == CKR_OK;
  }
  snprintf(line, sizeof line, "%d %d %d", unwrapped_count, there, unwrapped_others);
  write_line("unwrapped", line);
}

static int has_room(CK_SLOT_ID slot) {
  char most[64];
  CK_SESSION_INFO info;
  int open = 0;
  if (!told("sessions ", most, sizeof most)) return 1;
  for (int at = 0; at < session_count; at++)
    if (real->C_GetSessionInfo(sessions[at], &info) == CKR_OK && info.slotID == slot) open++;
  return open < atoi(most);
}

static CK_RV mine_C_OpenSession(CK_SLOT_ID slot, CK_FLAGS flags, CK_VOID_PTR data, CK_NOTIFY notify, CK_SESSION_HANDLE_PTR session) {
  CK_RV result = enter(0);
  if (result == CKR_OK && !has_room(slot)) return CKR_SESSION_COUNT;
  if (result == CKR_OK) result = real->C_OpenSession(slot, flags, data, notify, session);
  if (result == CKR_OK && session_count < MAX_SESSIONS) sessions[session_count++] = *session;
  tell_sessions();
  return result;
}

static CK_RV mine_C_CloseSession(CK_SESSION_HANDLE session) {
  CK_RV result = real->C_CloseSession(session);
  tell_sessions();
  tell_unwrapped();
  return result;
}

static CK_RV mine_C_Finalize(CK_VOID_PTR reserved) {
  CK_RV result = real->C_Finalize(reserved);
  tell_sessions();
  return result;
}

static CK_RV made(CK_RV result) {
  if (result == CKR_OK && told("lie", 0, 0)) return CKR_DEVICE_ERROR;
  if (result == CKR_OK && told("forget", 0, 0)) drop_once();
  return result;
}

static CK_RV mine_C_GenerateKey(CK_SESSION_HANDLE a, CK_MECHANISM_PTR b, CK_ATTRIBUTE_PTR c, CK_ULONG d, CK_OBJECT_HANDLE_PTR e) {
  delay("make");
  CK_RV result = enter(1);
  if (result == CKR_OK && is_missing(b->mechanism)) return CKR_MECHANISM_INVALID;
  return result == CKR_OK ? made(real->C_GenerateKey(a, b, c, d, e)) : result;
}

static CK_RV mine_C_GenerateKeyPair(CK_SESSION_HANDLE a, CK_MECHANISM_PTR b, CK_ATTRIBUTE_PTR c, CK_ULONG d, CK_ATTRIBUTE_PTR e, CK_ULONG f,
                                    CK_OBJECT_HANDLE_PTR g, CK_OBJECT_HANDLE_PTR h) {
  delay("make");
  CK_RV result = enter(1);
  if (result == CKR_OK && is_missing(b->mechanism)) return CKR_MECHANISM_INVALID;
  return result == CKR_OK ? made(real->C_GenerateKeyPair(a, b, c, d, e, f, g, h)) : result;
}


/** The session of a decryption whose padding is looked at here: OpenSSL below SoftHSM does not tell it. */
static CK_SESSION_HANDLE telling;

static CK_RV mine_C_DecryptInit(CK_SESSION_HANDLE session, CK_MECHANISM_PTR mechanism, CK_OBJECT_HANDLE key) {
  CK_RV result = enter(0);
  if (result != CKR_OK) return result;
  if (is_missing(mechanism->mechanism)) return CKR_MECHANISM_INVALID;
  CK_MECHANISM raw = {CKM_RSA_X_509, 0, 0};
  int tells = mechanism->mechanism == CKM_RSA_PKCS && told("padding", 0, 0);
  result = real->C_DecryptInit(session, tells ? &raw : mechanism, of(session, key));
  telling = result == CKR_OK && tells ? session : 0;
  return result;
}

static CK_RV mine_C_Decrypt(CK_SESSION_HANDLE session, CK_BYTE_PTR data, CK_ULONG length, CK_BYTE_PTR out, CK_ULONG_PTR room) {
  CK_RV result = enter(1);
  if (result != CKR_OK || telling != session) {
    if (result == CKR_OK) result = real->C_Decrypt(session, data, length, out, room);
    if (result == CKR_OK) resize(room);
    return result;
  }
  CK_BYTE block[1024];
  CK_ULONG bytes = sizeof block, end = 2;
  telling = 0;
  result = real->C_Decrypt(session, data, length, block, &bytes);
  if (result != CKR_OK) return result;
  while (end < bytes && block[end]) end++;
  if (block[0] != 0 || block[1] != 2 || end < 10 || end == bytes) return CKR_ENCRYPTED_DATA_INVALID;
  *room = bytes - end - 1;
  memcpy(out, block + end + 1, *room);
  return CKR_OK;
}

static CK_RV mine_C_EncryptInit(CK_SESSION_HANDLE session, CK_MECHANISM_PTR mechanism, CK_OBJECT_HANDLE key) {
  CK_RV result = enter(0);
  if (result != CKR_OK) return result;
  int takes_zeros = told("zero-iv", 0, 0);
  if (mechanism->mechanism == CKM_AES_GCM && (takes_zeros || told("own-iv", 0, 0))) {
    CK_GCM_PARAMS *gcm = mechanism->pParameter;
    for (CK_ULONG at = 0; takes_zeros && at < gcm->ulIvLen; at++)
      if (gcm->pIv[at]) return CKR_MECHANISM_PARAM_INVALID;
    if (real->C_GenerateRandom(session, gcm->pIv, gcm->ulIvLen) != CKR_OK) return CKR_DEVICE_ERROR;
  }
  return is_missing(mechanism->mechanism) ? CKR_MECHANISM_INVALID : real->C_EncryptInit(session, mechanism, of(session, key));
}

static CK_RV mine_C_GetMechanismList(CK_SLOT_ID slot, CK_MECHANISM_TYPE_PTR list, CK_ULONG_PTR count) {
  CK_RV result = enter(0);
  if (result == CKR_OK) result = real->C_GetMechanismList(slot, list, count);
  if (result != CKR_OK || !list) return result;
  for (CK_ULONG at = 0; at < *count; at++)
    while (at < *count && is_missing(list[at])) list[at] = list[--*count];
  return CKR_OK;
}

static CK_RV mine_C_GetSlotList(CK_BBOOL present, CK_SLOT_ID_PTR list, CK_ULONG_PTR count) {
  if (enter(0) != CKR_OK) {
    *count = 0;
    return CKR_OK;
  }
  CK_RV result = real->C_GetSlotList(present, list, count);
  if (result == CKR_OK && list && *count <= 16) {
    slot_count = *count;
    memcpy(slots, list, *count * sizeof *list);
  }
  return result;
}

static CK_RV mine_C_Login(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_UTF8CHAR_PTR pin, CK_ULONG length) {
  CK_RV result = enter(0);
  if (result != CKR_OK) return result;
  return told("locked", 0, 0) ? CKR_PIN_LOCKED : real->C_Login(session, user, pin, length);
}

/** A token whose PIN is locked says so in its flags. */
static CK_RV mine_C_GetTokenInfo_locked(CK_SLOT_ID slot, CK_TOKEN_INFO_PTR info) {
  CK_RV result = mine_C_GetTokenInfo(slot, info);
  if (result == CKR_OK && told("locked", 0, 0)) info->flags |= CKF_USER_PIN_LOCKED;
  return result;
}

static CK_RV mine_C_CreateObject(CK_SESSION_HANDLE session, CK_ATTRIBUTE_PTR template, CK_ULONG count, CK_OBJECT_HANDLE_PTR object) {
  CK_RV result = enter(0);
  if (result != CKR_OK) return result;
  return told("refuse", 0, 0) ? CKR_TEMPLATE_INCONSISTENT : made(real->C_CreateObject(session, template, count, object));
}

static CK_RV mine_C_UnwrapKey(CK_SESSION_HANDLE a, CK_MECHANISM_PTR b, CK_OBJECT_HANDLE c, CK_BYTE_PTR d, CK_ULONG e, CK_ATTRIBUTE_PTR f, CK_ULONG g,
                              CK_OBJECT_HANDLE_PTR h) {
  CK_RV result = enter(0);
  if (result == CKR_OK && is_missing(b->mechanism)) return CKR_MECHANISM_INVALID;
  if (result == CKR_OK && told("refuse all", 0, 0)) result = CKR_KEY_FUNCTION_NOT_PERMITTED;
  if (result == CKR_OK) result = real->C_UnwrapKey(a, b, of(a, c), d, e, f, g, h);
  if (result != CKR_OK) return result;
  int stays = 0;
  for (CK_ULONG at = 0; at < g; at++) stays |= f[at].type == CKA_EXTRACTABLE && *(CK_BBOOL *)f[at].pValue == CK_FALSE;
  if (!stays) unwrapped_others++;
  else if (unwrapped_count < MAX_UNWRAPPED) unwrapped[unwrapped_count].session = a, unwrapped[unwrapped_count++].object = *h;
  tell_unwrapped();
  return result;
}

static CK_RV mine_C_DestroyObject(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object) {
  CK_RV result = enter(0);
  if (result != CKR_OK) return result;
  CK_OBJECT_CLASS class = 0;
  CK_ATTRIBUTE attribute = {CKA_CLASS, &class, sizeof class};
  if (told("keep", 0, 0) && real->C_GetAttributeValue(session, object, &attribute, 1) == CKR_OK && class == CKO_PUBLIC_KEY) return CKR_FUNCTION_FAILED;
  result = real->C_DestroyObject(session, of(session, object));
  tell_unwrapped();
  return result;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR list) {
  // Each thread asks for it.
  if (real) {
    *list = &mine;
    return CKR_OK;
  }
  Dl_info own;
  if (!dladdr((void *)C_GetFunctionList, &own)) return CKR_GENERAL_ERROR;
  snprintf(path, sizeof path, "%s.fault", own.dli_fname);
  snprintf(own_path, sizeof own_path, "%s", own.dli_fname);
  void *library = dlopen(SOFTHSM, RTLD_NOW);
  CK_C_GetFunctionList get = library ? (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList") : 0;
  if (!get || get(&real) != CKR_OK) return CKR_GENERAL_ERROR;
  mine = *real;
#define USE(name) mine.name = mine_##name
  USE(C_Initialize), USE(C_OpenSession), USE(C_CloseSession), USE(C_Finalize), USE(C_UnwrapKey), USE(C_GenerateKeyPair), USE(C_GetSessionInfo), USE(C_FindObjectsInit), USE(C_GetAttributeValue), USE(C_GenerateKey), USE(C_Encrypt), USE(C_DecryptInit), USE(C_Decrypt);
  USE(C_SignInit), USE(C_Sign), USE(C_SignFinal), USE(C_EncryptFinal), USE(C_DecryptFinal), USE(C_WrapKey), USE(C_EncryptInit), USE(C_GetMechanismList), USE(C_GetSlotList), USE(C_Login), USE(C_CreateObject), USE(C_DestroyObject), USE(C_DeriveKey);
  mine.C_GetTokenInfo = mine_C_GetTokenInfo_locked;
  *list = &mine;
  return CKR_OK;
}
