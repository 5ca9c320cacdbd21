package faults

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
)

// Fault is what goes wrong with one request.
type Fault string

// The faults. None is the one of requests that pass.
const (
	None Fault = "none"
	// Lost: the connection breaks before the API server gets the request.
	Lost Fault = "request lost"
	// AnswerLost: the API server does what was asked, and the connection breaks before it has answered.
	AnswerLost Fault = "answer lost"
	// NeverAnswered: the API server does what was asked, and the client waits for an answer until it gives up.
	NeverAnswered Fault = "never answered"
	// Late: the request waits for Proxy's delay before it reaches the API server.
	Late Fault = "late"
	// Conflict: 409, and the API server does not get the request.
	Conflict Fault = "409"
	// TooManyRequests: 429 with a Retry-After of 1 s, and the API server does not get the request.
	TooManyRequests Fault = "429"
	// ServerError: 500, and the API server does not get the request.
	ServerError Fault = "500"
	// ServerErrorAfter: the API server does what was asked, and the answer is 500.
	ServerErrorAfter Fault = "500 after the request went through"
)

// Deck is the faults of a number of requests in the order in which they happen. Once it is dealt, requests pass.
type Deck struct {
	mu    sync.Mutex
	cards []Fault
	dealt map[Fault]int
}

// NewDeck shuffles as many cards of each fault as counts says, by the seed.
func NewDeck(seed uint64, counts map[Fault]int) *Deck {
	d := &Deck{dealt: map[Fault]int{}}
	for _, fault := range slices.Sorted(maps.Keys(counts)) {
		d.cards = append(d.cards, slices.Repeat([]Fault{fault}, counts[fault])...)
	}
	random := rand.New(rand.NewPCG(seed, seed))
	random.Shuffle(len(d.cards), func(i, j int) { d.cards[i], d.cards[j] = d.cards[j], d.cards[i] })
	return d
}

// Dealt returns how often each fault happened, passing included.
func (d *Deck) Dealt() map[Fault]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.dealt)
}

func (d *Deck) deal() Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	fault := None
	if len(d.cards) > 0 {
		fault, d.cards = d.cards[0], d.cards[1:]
	}
	d.dealt[fault]++
	return fault
}
