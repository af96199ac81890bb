package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"log"
	"net"
	"sync"
)

const (
	headerBytes = 16
	opMsg       = 2013
	// After the header: flags (4), kind of the first section (1), the command's length (4), type of its first element (1).
	nameAt = headerBytes + 10
)

var (
	writing sync.Mutex
	writes  = map[string]bool{"insert": true, "update": true, "delete": true, "findAndModify": true}
)

// serve hands each connection's commands on to the socket, each once the one before is answered.
func serve(listener net.Listener, socket string) {
	for {
		client, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer client.Close()
			server, err := net.Dial("unix", socket)
			if err != nil {
				return
			}
			defer server.Close()
			for exchange(client, server) == nil {
			}
		}()
	}
}

func exchange(client, server net.Conn) error {
	request, err := readMessage(client)
	if err != nil {
		return err
	}
	if writes[commandOf(request)] {
		writing.Lock()
		defer writing.Unlock()
	}
	if _, err = server.Write(request); err != nil {
		return err
	}
	answer, err := readMessage(server)
	if err != nil {
		return err
	}
	_, err = client.Write(answer)
	return err
}

func readMessage(from net.Conn) ([]byte, error) {
	header := make([]byte, headerBytes)
	if _, err := io.ReadFull(from, header); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(header)
	if length < headerBytes || length > 64<<20 {
		return nil, io.ErrUnexpectedEOF
	}
	message := make([]byte, length)
	copy(message, header)
	_, err := io.ReadFull(from, message[headerBytes:])
	return message, err
}

// commandOf is the command's name, "" of any other message.
func commandOf(message []byte) string {
	if len(message) < nameAt || binary.LittleEndian.Uint32(message[12:]) != opMsg {
		return ""
	}
	name, _, _ := bytes.Cut(message[nameAt:], []byte{0})
	return string(name)
}
